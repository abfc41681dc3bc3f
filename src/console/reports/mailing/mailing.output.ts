import { outputOf, type Shown } from '../../../http/wire/output.ts'
import { EVERY, MAILED } from './mailing.rules.ts'
import type { ReportMail } from './mailing.service.ts'

const out = outputOf<ReportMail>()
export const reportMailOutput = out.object({
  id: out.text('Id of the mailing.', 'report_01k9zq4m0ve8sbn6yt2hw3c5da'),
  what: out.oneOf(MAILED, 'What is mailed.'),
  every: out.oneOf(EVERY, 'How often.'),
  day: out.integer('Of the week, 1 is Monday; of the month.', 1),
  recipients: out.texts('Who gets the figures; none of class sheets, which go to the class teachers.', [
    'head@school.example',
  ]),
  next_at: out.moment('When next, UTC.', '2026-11-23T02:30:00.000Z'),
})
export type ReportMailAnswer = Shown<typeof reportMailOutput>
