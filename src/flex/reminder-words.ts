import type { NewMessage } from '../messages/messages.rules.ts'
import { formatRupees, sumPaise, type Paise } from '../platform/money.ts'
import type { StudentContext } from '../students/student-contexts.service.ts'
import { formatDay, referenceOf, tellFamily, toFamily, type Language, type Text } from './flex-words.ts'
import type { PlanFile } from './plans.rules.ts'

/** One instalment that a family is reminded of. */
export type Reminded = { file: PlanFile; student: StudentContext; amountPaise: Paise; day: string }

/** One message, whatever the number of children: each with its own amount, day and mandate. */
export function remindFamily(all: readonly Reminded[], at: Date): NewMessage[] {
  const sorted = all.toSorted((one, other) => (one.day < other.day ? -1 : 1))
  const [first] = sorted
  if (first === undefined) return []
  const { file, student, amountPaise, day } = first
  if (sorted.length === 1) return tellFamily('reminder', file, { student, at, amountPaise, day })
  return toFamily({ file, student, at }, TEXTS[file.plan.language](sorted))
}

const TEXTS: Record<Language, (all: readonly Reminded[]) => Text> = {
  en(all) {
    const { total, institute } = headOf(all)
    const lines = all.map(
      one =>
        `${nameOf(one)}: ${amountOf(one)} on ${dayOf(one, 'en')}, mandate ${referenceOf(one.file.mandate)}`,
    )
    const short = all.map(one => `${amountOf(one)} for ${nameOf(one)} on ${dayOf(one, 'en')}`).join('; ')
    return {
      subject: `${total} is due for your children`,
      body: `A reminder from ${institute}. These fees are due and will be debited by your mandates:\n\n${lines.join('\n')}\n\nThere is nothing to do but to keep the amounts in your account.`,
      short: `${institute}: ${short} will be debited by your mandates.`,
    }
  },
  hi(all) {
    const { total, institute } = headOf(all)
    const lines = all.map(
      one => `${nameOf(one)}: ${dayOf(one, 'hi')} को ${amountOf(one)}, मैंडेट ${referenceOf(one.file.mandate)}`,
    )
    const short = all.map(one => `${nameOf(one)} के ${amountOf(one)} ${dayOf(one, 'hi')} को`).join('; ')
    return {
      subject: `आपके बच्चों की फ़ीस के ${total} देय हैं`,
      body: `${institute} की याद। यह फ़ीस देय है और आपके मैंडेट से कटेगी:\n\n${lines.join('\n')}\n\nबस खाते में राशि रखें।`,
      short: `${institute}: ${short} मैंडेट से कटेंगे।`,
    }
  },
}

function headOf(all: readonly Reminded[]): { total: string; institute: string } {
  const total = formatRupees(sumPaise(all.map(({ amountPaise }) => amountPaise)))
  return { total, institute: all[0]?.file.plan.instituteName ?? '' }
}

const nameOf = ({ student }: Reminded): string => student.student.fullname
const amountOf = ({ amountPaise }: Reminded): string => formatRupees(amountPaise)
const dayOf = ({ day }: Reminded, language: Language): string => formatDay(day, language)
