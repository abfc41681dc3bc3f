import { Type } from 'typebox'
import { clearable, field, kept, shown } from '../../http/fields.ts'
import { paymentFields, StudentParams } from '../students.schemas.ts'

/** What the routes of direct payments take and answer. */
export const PaymentParams = Type.Object({
  ...StudentParams.properties,
  transaction_id: field.identifier({
    description: 'The transaction id of the payment, percent-encoded.',
    examples: ['CASH-2026-0001'],
  }),
})

export const PaymentBody = Type.Object({
  ...paymentFields,
  mode: Type.Optional(field.code({ description: 'Such as cash; `others` without one.', examples: ['cash'] })),
  transaction_id: Type.Optional(
    field.identifier({
      description: 'Unique for the student; without one the service makes one.',
      examples: ['CASH-2026-0002'],
    }),
  ),
  settlement_utr: Type.Optional(paymentFields.settlement_utr),
  notes: Type.Optional(paymentFields.notes),
})

export const CorrectionBody = Type.Object({
  amount: Type.Optional(kept(paymentFields.amount)),
  paid_at: Type.Optional(kept(paymentFields.paid_at)),
  mode: Type.Optional(kept(paymentFields.mode)),
  settlement_utr: Type.Optional(clearable(paymentFields.settlement_utr)),
  notes: Type.Optional(clearable(paymentFields.notes)),
  fee_components: Type.Optional(kept(paymentFields.fee_components)),
  transaction_id: Type.Optional(
    kept(field.identifier({ description: 'Cannot be changed; accepted when it is the one in the path.' })),
  ),
})

export const ListPaymentsQuery = Type.Object({
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
  status: Type.Optional(field.oneOf(['recorded', 'cancelled'], { description: 'Only in this state.' })),
})

const shownContent = {
  amount: shown.amount({ description: 'Rupees.' }),
  paid_at: shown.moment({ description: 'When it was paid.' }),
  mode: shown.text({ description: 'Such as cash.' }),
  settlement_utr: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  notes: Type.Optional(shown.text({ description: 'Present only if provided.' })),
  fee_components: Type.Array(
    Type.Object({
      component_type: shown.text({ description: 'What it was paid for.' }),
      amount: shown.amount({ description: 'Rupees.' }),
    }),
    { description: 'Line by line, as sent.' },
  ),
}

const shownPayment = {
  id: shown.text({ description: 'Id of the payment here, as events carry it.' }),
  transaction_id: shown.text({ description: 'Unique for the student.' }),
  status: shown.oneOf(['recorded', 'cancelled'], { description: 'A cancelled one does not count as paid.' }),
  ...shownContent,
  recorded_at: shown.moment({ description: 'When it was recorded here.' }),
  cancelled_at: Type.Optional(shown.moment({ description: 'Present only if cancelled.' })),
}

export const PaymentView = Type.Object(shownPayment)

export const CountedView = Type.Object({
  ...shownPayment,
  advance: shown.amount({
    description: 'How much of it is more than what is due of its components, rupees.',
  }),
})

export const PaymentFileView = Type.Object({
  ...shownPayment,
  history: Type.Array(
    Type.Object({
      changed_at: shown.moment({ description: 'When.' }),
      change: shown.oneOf(['corrected', 'cancelled'], { description: 'What was done.' }),
      before: Type.Object(shownContent, { description: 'As it was until then.' }),
    }),
    { description: 'The 100 newest changes, newest first.' },
  ),
})
