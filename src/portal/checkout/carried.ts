import { feeName } from '../../messages/words.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { FAMILY_ADDRESS } from '../../institutes/institutes.service.ts'
import { fill, type Language } from '../../platform/languages.ts'
import type { CarriedTo } from '../../students/rollover/rollover.service.ts'
import { yearName } from '../../students/students.rules.ts'
import { textsIn } from '../texts/texts.ts'

/** What the page of an order says that a rollover closed: where its dues are owed now. */
export function carriedSay(
  {
    institute,
    callbackUrl,
    language,
  }: { institute: Institute; callbackUrl: string | null; language: Language },
  { componentType, yearStart, yearEnd }: CarriedTo,
): string {
  const texts = textsIn(language).checkout
  const fee = feeName(componentType, language)
  const say = fill(texts.carriedSay, { year: yearName(yearStart, yearEnd), fee })
  // Without a page to lead to, only the institute can ask for it anew.
  const leadsOn = institute.hasParentSignIn || callbackUrl !== null
  return leadsOn ? say : `${say} ${texts.carriedAsk}`
}

/** Where a code opens the family's pages. */
export function familyLink({ code }: Institute, language: Language): { url: string; text: string } {
  return { url: `${FAMILY_ADDRESS}/${code}`, text: textsIn(language).signIn.heading }
}
