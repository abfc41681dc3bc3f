import { field, input, optional } from '../../../http/wire/input.ts'
import { EVERY, MAILED } from './mailing.rules.ts'
import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { ReportMail } from './mailing.service.ts'

export const reportMailInput = input({
  what: optional(field.oneOf(MAILED, 'What is mailed; the figures if absent.'), 'figures'),
  every: field.oneOf(EVERY, 'How often.'),
  day: field.wholeNumber('Of the week, 1 is Monday; of the month, at most 28.', 1, [1, 28]),
  recipients: optional(
    field.list('Who gets the figures.', field.email('An e-mail address.', 'head@school.example'), {
      max: 20,
    }),
    [],
  ),
})

export const reportMailParams = input({
  report_id: field.resourceId('Id of the mailing.', 'report_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

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
