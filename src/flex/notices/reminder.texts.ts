import type { NewMessage } from '../../messages/messages.rules.ts'
import { messageTextsIn } from '../../messages/texts/texts.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'
import { formatRupees, sumPaise, type Paise } from '../../platform/money.ts'
import { fillAll, messagesToFamily, textToFamily, valuesOf, type FamilyPlan } from './family.texts.ts'

/** One instalment that a family is reminded of. */
export type Reminded = {
  about: FamilyPlan
  instalmentId: string
  /** What the mandate takes, and what is to be paid online beside it. */
  amountPaise: Paise
  onlinePaise: Paise
  day: string
  /** Names this reminder of it. */
  once: string
}

/** One message, whatever the number of children: each with its own amount, day and mandate. */
export function reminderMessages(all: readonly Reminded[], at: Date): NewMessage[] {
  const sorted = all.toSorted((one, other) => (one.day < other.day ? -1 : 1))
  const [first] = sorted
  if (first === undefined) return []
  const { about, ...details } = first
  if (sorted.length === 1) return messagesToFamily('reminder', about, { at, ...details })
  const remindsOf = sorted.map(({ instalmentId }) => instalmentId)
  const sending = { at, name: 'family_reminder' as const, remindsOf, once: first.once }
  return textToFamily(about, sending, language =>
    fillAll(messageTextsIn(language).instalments.family_reminder, {
      institute: about.plan.instituteName,
      total: formatRupees(sumPaise(sorted.map(({ amountPaise }) => amountPaise))),
      count: String(sorted.length),
      day: formatDayIn(first.day, language),
      lines: sorted.map(one => lineOf(one, language)).join('\n'),
    }),
  )
}

function lineOf(one: Reminded, language: Language): string {
  const { line, online } = messageTextsIn(language).instalments.family_reminder
  const values = valuesOf(one.about, one, language)
  return one.onlinePaise > 0 ? `${fill(line, values)}; ${fill(online, values)}` : fill(line, values)
}
