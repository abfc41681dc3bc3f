import {
  internationalNumber,
  shortText,
  templatesOf,
  VARIABLE,
  type NewMessage,
  type Template,
} from '../../messages/messages.rules.ts'
import { messageTextsIn } from '../../messages/texts/texts.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'
import { formatRupees } from '../../platform/money.ts'
import type { ChequeToRemind } from './post-dated.store.ts'

/** Some days before, so that the money is there or the family can say that it pays otherwise. */
export function chequeReminder(cheque: ChequeToRemind, language: Language, at: Date): NewMessage[] {
  const { instituteId, id, school, number, datedOn, depositOn, amountPaise, studentName, payer } = cheque
  const valuesIn = (each: Language) => ({
    institute: school,
    cheque: number,
    amount: formatRupees(amountPaise),
    who: studentName,
    date: formatDayIn(datedOn, each),
    day: formatDayIn(depositOn, each),
  })
  const { subject, body } = messageTextsIn(language).chequeReminder
  const notice = { instituteId, about: id, at, once: `cheque ${id}`, inWakingHours: true }
  const short = shortText('cheque_reminder', language, each =>
    fill(messageTextsIn(each).chequeReminder.short, valuesIn(each)),
  )
  const mail: NewMessage = {
    ...notice,
    channel: 'email',
    recipient: cheque.email,
    subject: fill(subject, valuesIn(language)),
    body: fill(body, valuesIn(language)),
    to: { name: payer, language },
  }
  const line: NewMessage = { ...notice, channel: 'sms', recipient: cheque.phone, ...short }
  return internationalNumber(cheque.phone) === null ? [mail] : [mail, line]
}

/** The short text, as it is registered. */
export function chequeReminderTemplates(): Template[] {
  const values = { institute: VARIABLE, cheque: VARIABLE, amount: VARIABLE, who: VARIABLE, day: VARIABLE }
  return templatesOf('cheque_reminder', language =>
    fill(messageTextsIn(language).chequeReminder.short, values),
  )
}
