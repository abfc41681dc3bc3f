import { field, input, optional, query } from '../../http/wire/input.ts'
import { CHEQUE_STATES } from './cheques.rules.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Cheque } from './cheques.service.ts'

const PAYMENT_ID = 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'

const filters = {
  state: optional(field.oneOf(CHEQUE_STATES, 'Only in this state.')),
  number: optional(field.text('The number on it.', '004512', 40)),
}
export const chequeFilters = query(filters)
export const chequesQuery = query({
  ...filters,
  limit: field.pageSize(),
  cursor: field.cursor(PAYMENT_ID),
})

export const chequeParams = input({ payment_id: field.resourceId('Id of its payment.', PAYMENT_ID) })

const day = optional(field.day('When; today if absent.', '2026-11-18'))

export const clearInput = input({ day })
export const bounceInput = input({
  day,
  reason: field.text('As the bank gives it; it stands on the cancelled receipt.', 'Funds insufficient'),
  charge_amount: optional(field.positiveAmount('Charged to the family for it, rupees.', 500)).as(
    'chargePaise',
  ),
})

const out = outputOf<Cheque>()
const fields = {
  payment_id: out.text('Id of its payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da', one => one.id),
  taken_at: out.moment('When it was taken, UTC.', '2026-11-16T06:30:00.000Z'),
  taken_by: out.text('Who took it.', 'counter@school.example'),
  service_student_id: out.text('The student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da', one => one.studentId),
  student_name: out.text('The student.', 'Kabir Rao'),
  identifier: out.text("The student's identifier.", 'ADM-1042'),
  mode: out.text('`cheque` or `demand_draft`.', 'cheque'),
  number: out.text('The number on it.', '004512'),
  bank: out.optional.text('Drawn on.', 'HDFC Bank'),
  date: out.optional.day('The date on it.', '2026-11-16'),
  amount: out.amount('Rupees.', 12000),
  state: out.oneOf(CHEQUE_STATES, 'Where it is.'),
  deposit_id: out.optional.text('The slip it went to the bank with.', 'dep_01k9zq4m0ve8sbn6yt2hw3c5da'),
  slip_number: out.optional.integer('The number of that slip.', 17),
  decided_on: out.optional.day('Cleared or bounced on.', '2026-11-18'),
  bounce_reason: out.optional.text('As the bank gave it.', 'Funds insufficient'),
}
export const chequeOutput = out.object(fields)
export type ChequeAnswer = Shown<typeof chequeOutput>

/** A cheque that a line of a bank statement may have returned. */
const returned = outputOf<Cheque & { isNamed: boolean }>()
export const returnedChequeOutput = returned.object({
  ...fields,
  is_named: returned.flag('The line names its number.', true),
})
export type ReturnedChequeAnswer = Shown<typeof returnedChequeOutput>
