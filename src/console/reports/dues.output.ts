import { outputOf, type Shown } from '../../http/wire/output.ts'
import { GROUPINGS } from './dues.rules.ts'
import type { Ageing, AgeingRow, DefaulterRow } from './dues.service.ts'

const AMOUNT = 123456.5

const row = outputOf<AgeingRow>()
const bucketFields = {
  students: row.integer('How many students owe it.', 40),
  total: row.amount('All that is owed.', AMOUNT),
  not_due: row.amount('Due today or later.', AMOUNT),
  days_0_30: row.amount('Up to 30 days late.', AMOUNT, ({ days30Paise }) => days30Paise),
  days_31_60: row.amount('31 to 60 days late.', AMOUNT, ({ days60Paise }) => days60Paise),
  days_61_90: row.amount('61 to 90 days late.', AMOUNT, ({ days90Paise }) => days90Paise),
  days_over_90: row.amount('More than 90 days late.', AMOUNT, ({ over90Paise }) => over90Paise),
  no_due_day: row.amount('Without a due day.', AMOUNT),
}
const groupOutput = row.object({
  key: row.text('The component, grade or branch.', 'TUITION_FEE', ({ key }) => key ?? ''),
  ...bucketFields,
})

const out = outputOf<Ageing>()
export const ageingOutput = out.object({
  today: out.day('The day that it is of.', '2026-11-15'),
  by: out.oneOf(GROUPINGS, 'What a row is of.'),
  groups: out.list('Those who owe most first.', groupOutput),
  total: out.one('All of them together.', row.object(bucketFields)),
  on_the_way_amount: out.amount(
    'Of all that is owed, what banks have been asked for and have not answered, and what lenders have promised.',
    AMOUNT,
    ({ onTheWayPaise }) => onTheWayPaise,
  ),
})

const defaulter = outputOf<DefaulterRow>()
export const defaulterOutput = defaulter.object({
  service_student_id: defaulter.text(
    'Id of the student.',
    'student_01k9zq4m0ve8sbn6yt2hw3c5da',
    ({ studentId }) => studentId,
  ),
  fullname: defaulter.text('The student.', 'Kabir Rao'),
  identifier: defaulter.text("The student's identifier.", 'ADM-1042'),
  grade: defaulter.text('The grade.', '5'),
  collector_code: defaulter.text('The branch.', 'MAIN'),
  contact_name: defaulter.text('Whom to speak to.', 'Asha Rao'),
  contact_number: defaulter.text('Their phone.', '9876543210'),
  contact_email: defaulter.text('Their e-mail.', 'asha@example.in'),
  owed: defaulter.amount('As late as was asked for.', AMOUNT),
  owed_in_all: defaulter.amount('All that is owed, due or not.', AMOUNT, ({ totalPaise }) => totalPaise),
  on_the_way_amount: defaulter.amount(
    'Of that, what cannot be paid a second time: banks or a lender have yet to answer for it.',
    0,
    ({ onTheWayPaise }) => onTheWayPaise,
  ),
  oldest_due_on: defaulter.optional.day('Since when the oldest of it is due.', '2026-06-10'),
  days_late: defaulter.optional.integer('Days since then.', 158),
  last_paid_at: defaulter.optional.moment('When something was last paid, UTC.', '2026-04-10T04:32:10.000Z'),
  last_paid: defaulter.optional.amount('How much that was.', 5000),
  has_plan: defaulter.flag('Whether an instalment plan is running.', false),
})

export type AgeingAnswer = Shown<typeof ageingOutput>
export type DefaulterAnswer = Shown<typeof defaulterOutput>
