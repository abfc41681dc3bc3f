import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { amount, format, maybe, paging, text } from './fields.schemas.ts'

const filters = {
  number: Type.Optional(
    field.code({ description: 'The number, with or without its year.', examples: ['2026-27/000042'] }),
  ),
  status: Type.Optional(
    field.oneOf(['issued', 'cancelled'] as const, { description: 'Only those that stand, or do not.' }),
  ),
  issued_from: Type.Optional(field.rangeStart({ description: 'Issued from this day on.' })),
  issued_to: Type.Optional(field.rangeEnd({ description: 'Issued up to the end of this day.' })),
}

export const ReceiptsQuery = Type.Object({ ...filters, ...paging })
export const ReceiptsExportQuery = Type.Object({ ...filters, format })

export const ReceiptParams = Type.Object({
  receipt_id: field.resourceId({ description: 'Id of the receipt.', examples: ['2026-27-000042'] }),
})

export const CancelBody = Type.Object({
  reason: field.text({ description: 'Why; it is printed on the receipt.', examples: ['Wrong payer'] }),
})

export const ReceiptView = Type.Object({
  id: text('Id of the receipt.', '2026-27-000042'),
  number: text('As printed.', '2026-27/000042'),
  issued_at: shown.moment({ description: 'When it was issued, UTC.' }),
  status: shown.oneOf(['issued', 'cancelled'] as const, { description: 'Whether it stands.' }),
  cancelled_at: Type.Optional(shown.moment({ description: 'When it was cancelled, UTC.' })),
  cancel_reason: maybe('Why it was cancelled.'),
  payer: text('Who paid.', 'Asha Rao'),
  student_name: maybe('For whom.', 'Kabir Rao'),
  identifier: maybe("The student's identifier.", 'ADM-1042'),
  service_student_id: maybe('The student, if registered here.'),
  amount: amount('In rupees.'),
  mode: text('How it was paid.', 'upi'),
  payment_id: text('The payment.'),
  order_id: text('The order.'),
})

export type ReceiptAnswer = Static<typeof ReceiptView>
