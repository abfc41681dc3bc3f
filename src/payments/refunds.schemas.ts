import { Type } from 'typebox'
import { field, shown } from '../http/fields.ts'

/** What a refund is asked for with and how it is shown, whatever was paid. */
export const RefundBody = Type.Object({
  amount: Type.Optional(field.positiveAmount({ description: 'Rupees; all that is left when absent.' })),
  reason: Type.Optional(field.text({ description: 'Why, for your own records.' })),
})

export const RefundView = Type.Object({
  id: shown.text({ description: 'Refund id.' }),
  amount: shown.amount({ description: 'Rupees.' }),
  status: shown.oneOf(['pending', 'processed', 'failed'], { description: 'How far it is.' }),
  reason: Type.Optional(shown.text({ description: 'Present only if given.' })),
  processed_at: Type.Optional(shown.moment({ description: 'When the payer got it back.' })),
  utr: Type.Optional(shown.text({ description: 'Bank reference; only if processed.' })),
})
