import { internationalNumber } from '../../messages/messages.rules.ts'
import { canonicalName, isPhone, plainDigits } from '../../platform/names.ts'
import { readTypedDay } from '../../platform/typed/day.rules.ts'

export const LONGEST_NUMBER = 128
export const LONGEST_FACT = 40

/** How a family may write the admission number: people do not look at capitals. */
export function readIdentifiers(typed: string): string[] {
  const text = canonicalName(typed)
  if (text === '' || text.length > LONGEST_NUMBER) return []
  return [...new Set([text, text.toUpperCase(), text.toLowerCase()])]
}

/** The second thing that a family knows: a day of birth or a phone number; null when what was typed is neither. */
export function readFact(typed: string): { birthDate: string | null; phone: string | null } | null {
  const text = plainDigits(typed).trim()
  if (text.length > LONGEST_FACT) return null
  const birthDate = readTypedDay(text)
  const phone = internationalNumber(text) ?? (isPhone(text) ? text : null)
  return birthDate === null && phone === null ? null : { birthDate, phone }
}

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Says whose fees they are to somebody who knows the child, and its name to nobody else: Asha Verma is A••• V•••. */
export function maskedName(name: string): string {
  return name
    .trim()
    .split(/\s+/)
    .map(word => {
      const [first] = SEGMENTS.segment(word)
      return `${first?.segment ?? ''}•••`
    })
    .join(' ')
}
