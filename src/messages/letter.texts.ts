import type { School } from '../institutes/school/school.rules.ts'
import { fill, type Language } from '../platform/languages.ts'
import { messageTextsIn } from './texts/texts.ts'

/** Who a mail is to and in which language: it gets a greeting, a way to ask and the school's address. */
export type Addressee = { name: string; language: Language }

/** The body between greeting and signature. */
export function writeLetter(body: string, { name, language }: Addressee, school: School): string {
  const { letter } = messageTextsIn(language)
  const { phone, email, address } = school
  const [first, second] = [
    ...(phone === null ? [] : [fill(letter.phone, { phone })]),
    ...(email === null ? [] : [fill(letter.email, { email })]),
  ]
  const both = second === undefined ? first : fill(letter.either, { first: first ?? '', second })
  const ways = both ?? fill(letter.none, { school: school.name })
  const signature = [school.name, ...(address === null ? [] : [address])].join('\n')
  return [fill(letter.greeting, { name }), body, fill(letter.ask, { ways }), signature].join('\n\n')
}
