import { field, input, optional, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { FAMILY_RECEIPTS } from '../../institutes/school/school.rules.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { instrument } from '../../students/direct-payments/direct-payment.schemas.ts'
import type { TakenFromFamily } from './takings.service.ts'

const STUDENT_ID = 'student_01k9zq4m0ve8sbn6yt2hw3c5da'
const TAKING_ID = 'take_01k9zq4m0ve8sbn6yt2hw3c5da'

export const takingParams = input({ taking_id: field.resourceId('Id of what was handed over.', TAKING_ID) })

export const takingPaperQuery = query({
  how: optional(
    field.oneOf(
      FAMILY_RECEIPTS,
      'One paper for the family, or each receipt; as the school has it if absent.',
    ),
  ),
})

const lineInput = input({
  component_type: field.code('The fee; ADVANCE for what pays none.', 'TUITION_FEE'),
  amount: field.positiveAmount('Rupees.', 12000),
})

/** What is paid for one child. */
const childInput = input({
  service_student_id: field.resourceId('The child.', STUDENT_ID).as('studentId'),
  fee_components: field.list('What is paid for it.', lineInput, { min: 1, max: 50 }).as('lines'),
  shown_owed_amount: optional(
    field.amount(
      'Fees owed, without late fees, as the page showed them; refused if it is less by now.',
      24000,
    ),
  ).as('shownPaise'),
})

const wayInput = input({
  mode: field.code('Such as cash, cheque, upi.', 'cash'),
  amount: field.positiveAmount('Rupees.', 12000),
  reference: optional(field.identifier('Of the slip or the transfer.', 'UPI-426157000042')),
  instrument,
})

const children = field.list('For whom, each once.', childInput, { min: 1, max: 20 })

export const counterQrInput = input({ children })

export const takingInput = input({
  children,
  ways: field.list('How it is handed over; together what the fees come to.', wayInput, { min: 1, max: 5 }),
  paid_at: optional(field.momentOrDay('When; now if absent.', '2026-11-16')),
  waive_late_fee_reason: optional(
    field.text('Why a late fee that is due is not taken, where paying its fee would end it.', 'Bank holiday'),
  ).as('waiveReason'),
})

const payment = outputOf<TakenFromFamily['payments'][number]>()
const paymentOutput = payment.object({
  id: payment.text('Id of the payment.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  service_student_id: payment.text('For whom.', STUDENT_ID, one => one.studentId),
  mode: payment.text('How it was handed over.', 'cash'),
  amount: payment.amount('Rupees.', 12000),
  receipt_number: payment.text('Of its receipt.', '2026-27/000042', one => receiptNumber(one.receipt)),
})

const out = outputOf<TakenFromFamily>()
export const takingOutput = out.object({
  id: out.text('Of all that was handed over, by which its paper is printed.', TAKING_ID),
  amount: out.amount('Rupees in all.', 12000),
  family_receipt: out.oneOf(FAMILY_RECEIPTS, 'What the school gives the family.'),
  payments: out.list('One for each child and way.', paymentOutput),
})
export type TakingAnswer = Shown<typeof takingOutput>
