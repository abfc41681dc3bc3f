import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { field as inputField, input } from '../../http/wire/input.ts'
import { orderFields, SCHOOL_YEAR } from '../../orders/order.input.ts'
import { LIST_STATUSES, LISTED_KINDS, ORDER_KINDS } from './orders.rules.ts'
import { LANGUAGES, SEND_CHANNELS } from '../../orders/link-messages.texts.ts'

/** What the console's operations on orders and links take and answer. */
export const reason = field.text({
  description: 'Why; stands in the audit log.',
  examples: ['Asked for by the parent'],
})
const text = (description: string) => shown.text({ description })
const maybe = (description: string) => Type.Optional(shown.text({ description }))
const amount = (description: string) => shown.amount({ description, examples: [45000] })
const maybeMoment = (description: string) => Type.Optional(shown.moment({ description }))

export const cursor = field.resourceId({ description: '`next_cursor` of the page before.' })

export const OrderParams = Type.Object({
  order_id: field.resourceId({
    description: 'Id of the order.',
    examples: ['order_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

export const ListOrdersQuery = Type.Object({
  q: Type.Optional(
    field.text(
      { description: 'An id, beginnings of names, an identifier or a phone.', examples: ['Rao'] },
      100,
    ),
  ),
  kind: Type.Optional(field.oneOf(LISTED_KINDS, { description: 'Only of this kind.' })),
  status: Type.Optional(field.oneOf(LIST_STATUSES, { description: 'Only in this state.' })),
  collector_code: Type.Optional(field.code({ description: 'Only of this branch.' })),
  created_from: Type.Optional(field.rangeStart({ description: 'Made on this day or later.' })),
  created_to: Type.Optional(field.rangeEnd({ description: 'Made on this day or earlier.' })),
  page_id: Type.Optional(field.resourceId({ description: 'Only of this payment page.' })),
  student_id: Type.Optional(field.resourceId({ description: 'Only of this student.' })),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(cursor),
})

const status = shown.oneOf([...LIST_STATUSES, 'reversed'] as const, {
  description: 'Where it stands; `reversed`: the bank took the money back.',
})
const kind = shown.oneOf(ORDER_KINDS, { description: 'What it is.' })

const head = {
  id: text('Its id.'),
  kind,
  status,
  collector_code: text('Branch.'),
  name: text('Payer.'),
  phone: text('Their phone.'),
  email: text('Their e-mail.'),
  identifier: maybe("The institute's identifier."),
  student_name: maybe('Student.'),
  student_id: maybe('Id of the student, where it is of one.'),
  page_id: maybe('Id of the payment page that it came from.'),
  amount: amount('In rupees.'),
  refunded: amount('Given back, or on its way back, in rupees.'),
  created_at: shown.moment({ description: 'When it was made, UTC.' }),
  paid_at: maybeMoment('When it was paid, UTC.'),
  expires_at: maybeMoment('Until when it can be paid, UTC.'),
}

export const OrderRowView = Type.Object(head)
export type OrderRowAnswer = Static<typeof OrderRowView>

const PaymentView = Type.Object({
  id: text('Its id.'),
  provider: text('Through whom.'),
  status: shown.oneOf(['created', 'pending', 'captured', 'failed'], { description: 'How far it is.' }),
  amount: amount('In rupees.'),
  mode: text('How.'),
  transaction_id: maybe('Of the bank.'),
  provider_ref: maybe("The provider's name for it."),
  failure_code: maybe('Why it failed, as a code.'),
  failure: maybe('Why it failed, in words.'),
  is_duplicate: shown.flag({ description: 'Paid a second time; it goes back by itself.' }),
  started_at: shown.moment({ description: 'When the payer began, UTC.' }),
  paid_at: maybeMoment('When it was paid, UTC.'),
  settle_due_on: Type.Optional(shown.day({ description: 'When it should reach the bank.' })),
  settlement_utr: maybe('Of the transfer to the bank.'),
  settled_at: maybeMoment('When it reached the bank, UTC.'),
})

const RefundRowView = Type.Object({
  id: text('Its id.'),
  payment_id: text('Of which payment.'),
  kind: shown.oneOf(['requested', 'duplicate', 'returned'], {
    description: 'Asked for, of a second payment, or taken back by the bank.',
  }),
  status: shown.oneOf(['pending', 'processed', 'failed'], { description: 'How far it is.' }),
  amount: amount('In rupees.'),
  reason: maybe('Why.'),
  utr: maybe('Of the bank.'),
  failure: maybe('Why it failed.'),
  requested_at: shown.moment({ description: 'When it was asked for, UTC.' }),
  processed_at: maybeMoment('When the payer got it, UTC.'),
})

export const OrderDetailView = Type.Object({
  ...head,
  branch: text('Name of the branch.'),
  page_title: maybe('Title of the payment page.'),
  grade: maybe('Grade.'),
  stream: maybe('Stream.'),
  academic_year: maybe('Academic year.'),
  date_of_birth: maybe('Of the student.'),
  custom_identifier: maybe('A second identifier.'),
  callback_url: maybe("Where the payer's browser goes afterwards."),
  transaction_id: maybe('Of the payment that paid it.'),
  closed_at: maybeMoment('When it stopped taking payments, UTC.'),
  url: maybe('Where it is paid.'),
  file: Type.Optional(
    Type.Object({
      batch_id: text('The file it was made of.'),
      name: text('Its name.'),
      row: Type.Integer({ description: 'Which row of it.' }),
    }),
  ),
  notes: Type.Array(Type.Object({ key: text('Name.'), value: text('Value.') })),
  lines: Type.Array(
    Type.Object({
      component_type: text('What is paid for.'),
      label: text('The same for people.'),
      amount: amount('In rupees.'),
      settlement_utr: maybe('Of the transfer to the bank.'),
      settled_at: maybeMoment('When it reached the bank, UTC.'),
    }),
  ),
  payments: Type.Array(PaymentView, { description: 'Every try, the oldest first.' }),
  refunds: Type.Array(RefundRowView),
  receipt: Type.Optional(
    Type.Object({
      number: text('As people quote it.'),
      cancelled_at: maybeMoment('When it was cancelled, UTC.'),
      cancel_reason: maybe('Why.'),
    }),
  ),
  refundable: amount('What can still be given back, in rupees.'),
  can_cancel: shown.flag({ description: 'Whether it can be cancelled or closed.' }),
  can_send: shown.flag({ description: 'Whether its link can be sent.' }),
  can_refund: shown.flag({ description: 'Whether something can be given back.' }),
  timeline: Type.Array(
    Type.Object({
      id: text('Of the entry.'),
      at: shown.moment({ description: 'When, UTC.' }),
      title: text('What happened.'),
      tone: shown.oneOf(['good', 'waiting', 'bad', 'plain'], { description: 'How to take it.' }),
      by: maybe('Who did it.'),
      why: maybe('Why.'),
      raw: Type.Optional(Type.Unsafe<unknown>({ description: 'The data behind it.', examples: [{}] })),
    }),
    { description: 'Everything that happened, the newest first.' },
  ),
})
export type OrderDetailAnswer = Static<typeof OrderDetailView>

export const createInput = input(
  { kind: inputField.oneOf(['link', 'order'], 'A payment link, or a pay order.'), ...orderFields },
  SCHOOL_YEAR,
)

export const CreatedView = Type.Object({ order_id: text('Its id.'), url: text('Where it is paid.') })
export type CreatedAnswer = Static<typeof CreatedView>

export const ReasonBody = Type.Object({ reason })

export const SendBody = Type.Object({
  channels: Type.Array(field.oneOf(SEND_CHANNELS, { description: 'E-mail or SMS.' }), {
    minItems: 1,
    maxItems: 2,
    description: 'How to send it.',
  }),
  language: Type.Optional(field.oneOf(LANGUAGES, { description: 'English when absent.' })),
})
export const SentView = Type.Object({
  recipients: Type.Array(shown.text({ description: 'Channel and address.' })),
})
export type SentAnswer = Static<typeof SentView>

export const RefundBody = Type.Object({
  amount: Type.Optional(field.positiveAmount({ description: 'Rupees; all that is left when absent.' })),
  reason,
})
export const RefundedView = Type.Object({
  refund_id: text('Its id.'),
  amount: amount('In rupees.'),
  refundable: amount('What can still be given back, in rupees.'),
})
export type RefundedAnswer = Static<typeof RefundedView>

const Entry = Type.Object({ code: text('Code.'), name: text('Name.') })
export const ChoicesView = Type.Object({
  branches: Type.Array(Type.Object({ collector_code: text('Code.'), name: text('Name.') })),
  components: Type.Array(Entry),
  grades: Type.Array(Entry),
  is_strict: shown.flag({ description: 'Whether only codes of the catalogue are taken.' }),
})
export type ChoicesAnswer = Static<typeof ChoicesView>
