import type { Institute } from '../institutes/institutes.rules.ts'
import {
  internationalNumber,
  shortText,
  templatesOf,
  VARIABLE,
  type NewMessage,
  type Template,
} from '../messages/messages.rules.ts'
import { messageTextsIn } from '../messages/texts/texts.ts'
import { fill, formatDayIn, type Language } from '../platform/languages.ts'
import { formatRupees, paiseOf, sumPaise } from '../platform/money.ts'
import type { Student } from '../students/students.rules.ts'
import type { Leaving } from './leaving.store.ts'

type ToldLeaving = {
  institute: Institute
  student: Student
  leaving: Leaving
  /** Where the family can pay; null where parents cannot sign in. */
  url: string | null
  language: Language
}

/** Tells the family how its child's leaving was settled: what it still owes, what comes back, or that nothing is open. */
export function leavingMessages({ institute, student, leaving, url, language }: ToldLeaving): NewMessage[] {
  const { id, leftOn, settledAt: at, settlement } = leaving
  const { owedPaise, lateFeePaise, onTheWayPaise, refunds, advancePaise } = settlement
  const cheques = settlement.cheques
    .filter(one => one.isGivenBack)
    .map(one => `${one.number} (${formatRupees(one.amountPaise)})`)
  const owed = paiseOf(owedPaise + lateFeePaise - onTheWayPaise)
  const refunded = sumPaise(refunds.map(one => one.amountPaise))
  const valuesIn = (each: Language) => ({
    institute: institute.name,
    who: student.fullname,
    day: formatDayIn(leftOn, each),
    amount: formatRupees(owed > 0 ? owed : refunded),
  })
  const { subject, body, ...parts } = messageTextsIn(language).leaving
  const say = (text: string, amount: typeof owed): string => fill(text, { amount: formatRupees(amount) })
  const result = [
    ...(owed > 0 ? [say(parts.owed, owed)] : [parts.clear]),
    ...(owed > 0 && url !== null ? [fill(parts.payHere, { url })] : []),
    ...(onTheWayPaise > 0 ? [say(parts.onTheWay, onTheWayPaise)] : []),
    ...(refunded > 0 ? [say(parts.refunded, refunded)] : []),
    ...(advancePaise > 0 ? [say(parts.kept, advancePaise)] : []),
    ...(settlement.planIds.length > 0 ? [parts.planEnded] : []),
    ...(cheques.length > 0 ? [fill(parts.chequesBack, { cheques: cheques.join(', ') })] : []),
  ]
  const short = owed > 0 ? 'shortOwed' : 'shortClear'
  const notice = { instituteId: institute.id, about: student.id, at, once: `leaving ${id}` }
  const mail: NewMessage = {
    ...notice,
    channel: 'email',
    recipient: student.contactEmail,
    subject: fill(subject, valuesIn(language)),
    body: `${fill(body, valuesIn(language))}\n\n${result.join('\n')}`,
    to: { name: student.contactName, language },
  }
  const line: NewMessage = {
    ...notice,
    channel: 'sms',
    recipient: student.contactNumber,
    ...shortText(NAMES[short], language, each => fill(messageTextsIn(each).leaving[short], valuesIn(each))),
  }
  return internationalNumber(student.contactNumber) === null ? [mail] : [mail, line]
}

const NAMES = { shortOwed: 'leaving_owed', shortClear: 'leaving_clear' } as const

/** The short texts, as they are registered. */
export function leavingTemplates(): Template[] {
  const values = { institute: VARIABLE, who: VARIABLE, day: VARIABLE, amount: VARIABLE }
  return Object.entries(NAMES).flatMap(([short, name]) =>
    templatesOf(name, language =>
      fill(messageTextsIn(language).leaving[short as keyof typeof NAMES], values),
    ),
  )
}
