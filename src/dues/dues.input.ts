import { field, ifSent, input, optional } from '../http/wire/input.ts'

export const LATE_FEE_ID = 'late_01k9zq4m0ve8sbn6yt2hw3c5da'

export const payDuesInput = input({
  amount: optional(field.positiveAmount('Rupees; all that is due when absent.', 5000)),
  take_over: optional(
    field.flag(
      'Starts even though somebody is at the bank to pay overlapping lines; not while such a payment is pending there (409). False when absent.',
    ),
    false,
  ),
  callback_url: optional(
    field.url(
      'Where the payer returns to. In live mode https, without credentials.',
      'https://erp.example.in/fees',
    ),
  ),
})

export const waiverInput = input({
  late_fee_id: ifSent(field.resourceId('Which late fee; all that are due when absent.', LATE_FEE_ID)).as(
    'ruleId',
  ),
  amount: ifSent(field.positiveAmount('Rupees; all of it when absent.', 450)),
  reason: field.text('Why; kept for good.', 'The bank was closed for three days.'),
})
