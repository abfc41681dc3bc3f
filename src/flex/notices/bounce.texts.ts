import type { NewMessage } from '../../messages/messages.rules.ts'
import { messageTextsIn } from '../../messages/texts/texts.ts'
import { fill, type Language } from '../../platform/languages.ts'
import { formatRupees, sumPaise, type Paise } from '../../platform/money.ts'
import { fillAll, messagesToFamily, textToFamily, valuesOf, type FamilyPlan } from './family.texts.ts'

/** The message about a returned debit. */
export type ReturnedDebit = {
  kind: 'bounced' | 'reversed'
  about: FamilyPlan
  instalmentId: string
  amountPaise: Paise
  reason: string
  /** When it is debited again. */
  day: string | undefined
  /** Names this return. */
  once: string
}

/** One message, whatever the number of children and debits. */
export function bounceMessages(all: readonly ReturnedDebit[], at: Date): NewMessage[] {
  const [first] = all
  if (first === undefined) return []
  const { about, kind, ...values } = first
  if (all.length === 1) return messagesToFamily(kind, about, { at, ...values })
  const remindsOf = all.map(({ instalmentId }) => instalmentId)
  const sending = { at, name: 'family_bounced' as const, remindsOf, once: first.once }
  return textToFamily(about, sending, language => {
    const texts = messageTextsIn(language).instalments.family_bounced
    const { body, ...text } = fillAll(texts, {
      institute: about.plan.instituteName,
      total: formatRupees(sumPaise(all.map(({ amountPaise }) => amountPaise))),
      count: String(all.length),
      lines: all.map(one => lineOf(one, language)).join('\n'),
    })
    const isAgain = all.some(({ day }) => day !== undefined)
    return { ...text, body: isAgain ? `${body}\n\n${texts.keep}` : body }
  })
}

function lineOf(one: ReturnedDebit, language: Language): string {
  const { line, again } = messageTextsIn(language).instalments.family_bounced
  return fill(one.day === undefined ? line : again, valuesOf(one.about, one, language))
}
