import { Type, type Static } from 'typebox'

/** The blocks that event payloads are made of, as they go over the wire. Absent data is absent, never null. */
const text = (description: string) => Type.String({ description })
const amount = (description: string) => Type.Number({ description })
const moment = (description: string) => Type.String({ format: 'date-time', description })
const day = (description: string) => Type.String({ format: 'date', description })
const maybe = Type.Optional

/** Optional fields may be given as undefined: JSON leaves them out. */
export type AsWritten<Value> = Value extends readonly (infer Item)[]
  ? AsWritten<Item>[]
  : Value extends object
    ? { [Key in keyof Value]: AsWritten<Value[Key]> | (object extends Pick<Value, Key> ? undefined : never) }
    : Value

const component = { component_type: text('What it is for.'), amount: amount('Rupees.') }

export const StudentBlock = Type.Object(
  {
    identifier: text("The institute's identifier."),
    custom_identifier: maybe(text('Present only if provided.')),
    collector_code: maybe(text('Branch code.')),
    fullname: text('Full name.'),
    grade: Type.Object({ code: text('Grade code.'), name: text('Grade name.') }, { description: 'Grade.' }),
    academic_year_start: Type.Integer({ description: 'Start year.' }),
    academic_year_end: Type.Integer({ description: 'End year.' }),
    primary_contact_name: text('Name of the primary contact.'),
    primary_contact_number: text('Phone of the primary contact.'),
    primary_contact_email: text('E-mail of the primary contact.'),
  },
  { description: 'The student.' },
)
export type StudentBlock = AsWritten<Static<typeof StudentBlock>>

export const PaymentBlock = Type.Object(
  {
    id: text('Payment id.'),
    amount: amount('Rupees.'),
    product: Type.Enum(['pay', 'flex', 'cred', 'direct'], { description: 'Which product took it.' }),
    mode: text('upi, card, netbanking, enach, upi_autopay, cash, cheque or as given.'),
    transaction_id: text('Transaction id.'),
    reference_id: maybe(text('Reference of your own.')),
    paid_at: moment('When it was paid.'),
    settlement_utr: maybe(text('Bank reference of the settlement.')),
    notes: maybe(text('Remark.')),
    details: Type.Array(
      Type.Object({
        ...component,
        settlement_utr: maybe(text('Only if settled.')),
        settled_at: maybe(moment('Only if settled.')),
      }),
      { description: 'Line by line.' },
    ),
  },
  { description: 'The payment.' },
)
export type PaymentBlock = AsWritten<Static<typeof PaymentBlock>>

/** Described where it is served: the order or link read view, whole. */
export const OrderBlock = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The read view of the pay order or payment link, whole, as Get Pay Order or Get Payment Link answers it.',
})
export type OrderBlock = Readonly<Record<string, unknown>>

export const SubscriptionBlock = Type.Object(
  {
    id: text('Plan id.'),
    status: Type.Enum(['setup', 'active', 'locked', 'cancelled', 'closed'], {
      description: 'State of the plan.',
    }),
    product_name: text('Name of the plan.'),
    total_amount: amount('Rupees in all.'),
    paid_amount: amount('Rupees paid so far.'),
  },
  { description: 'The Flex plan.' },
)

const scheduleRow = {
  id: text('Instalment id.'),
  due_date: day('When it is due.'),
  amount: amount('Rupees.'),
  is_downpayment: Type.Boolean({ description: 'Whether it is taken at set-up.' }),
  status: text('State of the instalment.'),
  reference_id: maybe(text('Reference of your own.')),
  details: Type.Array(Type.Object(component), { description: 'By component.' }),
}

export const ScheduleBlock = Type.Array(Type.Object(scheduleRow), { description: 'All instalments.' })

export const InstalmentBlock = Type.Object(
  {
    ...scheduleRow,
    attempt: Type.Integer({ description: 'Which presentation this was.' }),
    presented_on: maybe(day('When it was presented.')),
  },
  { description: 'The instalment.' },
)

export const MandateBlock = Type.Object(
  {
    id: text('Mandate id.'),
    rail: Type.Enum(['enach', 'upi_autopay'], { description: 'How it debits.' }),
    status: text('State of the mandate.'),
    umrn: maybe(text('Reference of an eNACH mandate.')),
    upi_reference: maybe(text('Reference of a UPI Autopay mandate.')),
    max_amount: amount('The most that one debit may take.'),
    start_date: day('Valid from.'),
    end_date: day('Valid until.'),
    npci_category_code: maybe(
      Type.Enum(['account_not_active', 'bank_kyc_pending', 'customer_revoked', 'mandate_error'], {
        description: 'Why it ended, as the bank says.',
      }),
    ),
  },
  { description: 'The mandate.' },
)

export const ReasonBlock = Type.Object(
  {
    code: text("The bank's or the ERP's code."),
    category: Type.Enum(['funds', 'bank', 'limit', 'mandate', 'account', 'payer', 'duplicate', 'erp'], {
      description: 'What kind of reason it is.',
    }),
    message: text('Can be shown to people.'),
  },
  { description: 'Why.' },
)

export const ApplicationBlock = Type.Object(
  {
    id: text('Application id.'),
    status: text('State of the application.'),
    amount: maybe(amount('Rupees.')),
    agreement_signed_at: maybe(moment('When the agreement was signed.')),
    lender: maybe(text('Name of the lender.')),
  },
  { description: 'The loan application.' },
)

export const DisbursementBlock = Type.Object(
  {
    id: text('Disbursement id.'),
    date: day('When it is planned or was made.'),
    amount: amount('Rupees.'),
    disbursed_amount: maybe(amount('Rupees that came.')),
    is_disbursed: Type.Boolean({ description: 'Whether it reached the institute.' }),
    settlement_utr: maybe(text('Bank reference.')),
  },
  { description: 'A tranche of the loan.' },
)

export const RefundBlock = Type.Object(
  {
    id: text('Refund id.'),
    amount: amount('Rupees.'),
    status: text('State of the refund.'),
    reason: maybe(text('Why.')),
    processed_at: maybe(moment('When it was processed.')),
    utr: maybe(text('Bank reference.')),
  },
  { description: 'The refund.' },
)
export type RefundBlock = AsWritten<Static<typeof RefundBlock>>
