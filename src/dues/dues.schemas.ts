import { Type } from 'typebox'
import { field, shown } from '../http/fields.ts'
import { ALLOCATIONS } from './dues.rules.ts'

/** What the routes of dues take and answer. */
export const StudentParams = Type.Object({
  service_student_id: field.resourceId({
    description: 'The id returned by Register Student.',
    examples: ['student_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

const slab = Type.Object({
  from_day: field.wholeNumber(
    { description: 'Holds from so many days after the due day on.', examples: [1] },
    [1, 3_650],
  ),
  amount: field.amount({ description: 'What the late fee is then, in all, rupees.', examples: [200] }),
})

const lateFee = Type.Object({
  component_type: Type.Optional(
    field.code({
      description: 'Which component it is for; absent: every component that no other rule names.',
      examples: ['TUITION_FEE'],
    }),
  ),
  due_date: field.day({ description: 'When it is due, YYYY-MM-DD.', examples: ['2026-12-10'] }),
  grace_days: Type.Optional(
    field.wholeNumber({ description: 'Days after it that cost nothing; 0 when absent.' }, [0, 365]),
  ),
  kind: field.oneOf(['none', 'per_day', 'slab'], {
    description:
      'none: only a due day. per_day: an amount for each day since the due day. slab: by how late it is.',
  }),
  amount_per_day: Type.Optional(
    field.positiveAmount({ description: 'Rupees; with per_day.', examples: [50] }),
  ),
  slabs: Type.Optional(
    Type.Array(slab, { maxItems: 20, description: 'With slab: rising; the last that has begun holds.' }),
  ),
  max_amount: Type.Optional(field.positiveAmount({ description: 'Never more than this, rupees.' })),
})

export const RulesBody = Type.Object({
  part_payments: Type.Optional(
    field.flag({ description: 'Whether parents may pay a part of what is due; true when absent.' }),
  ),
  min_amount: Type.Optional(
    field.positiveAmount({
      description: 'The least that can be paid at once unless less is due; 1 when absent.',
    }),
  ),
  allocation: Type.Optional(
    field.oneOf(ALLOCATIONS, {
      description:
        'How a part is spread: oldest_due (the default) by due day and then in the order registered, as_registered in ' +
        'that order alone, in_proportion by what is owed of each. Late fees always come first.',
    }),
  ),
  late_fees: Type.Optional(
    Type.Array(lateFee, {
      maxItems: 50,
      description: 'Due days and late fees; at most one for a component.',
    }),
  ),
})

const amounts = {
  amount: shown.amount({ description: 'Rupees.' }),
}

export const RulesView = Type.Object({
  part_payments: shown.flag({ description: 'Whether parents may pay a part.' }),
  min_amount: shown.amount({ description: 'The least that can be paid at once, rupees.' }),
  allocation: shown.oneOf(ALLOCATIONS, { description: 'How a part is spread.' }),
  late_fees: Type.Array(
    Type.Object({
      id: shown.text({ description: 'Id of the rule.' }),
      component_type: Type.Optional(shown.text({ description: 'Absent: all that no other rule names.' })),
      due_date: shown.day({ description: 'When it is due.' }),
      grace_days: Type.Integer({ description: 'Days after it that cost nothing.' }),
      kind: shown.oneOf(['none', 'per_day', 'slab'], { description: 'How it is counted.' }),
      amount_per_day: Type.Optional(shown.amount({ description: 'With per_day, rupees.' })),
      slabs: Type.Optional(
        Type.Array(
          Type.Object({ from_day: Type.Integer({ description: 'From this day late on.' }), ...amounts }),
          { description: 'With slab.' },
        ),
      ),
      max_amount: Type.Optional(shown.amount({ description: 'Never more than this, rupees.' })),
    }),
    { description: 'Due days and late fees.' },
  ),
})

export const DuesView = Type.Object({
  service_student_id: shown.text({ description: 'Whose dues they are.' }),
  total_amount: shown.amount({ description: 'What is due in all, late fees included, rupees.' }),
  outstanding_amount: shown.amount({ description: 'Of that, fees.' }),
  late_fee_amount: shown.amount({ description: 'Of that, late fees.' }),
  advance_amount: shown.amount({ description: 'What was paid beyond the fees.' }),
  on_the_way_amount: shown.amount({ description: 'What banks have been asked for and have not answered.' }),
  components: Type.Array(
    Type.Object({
      component_type: shown.text({ description: 'What it is for.' }),
      fee_amount: shown.amount({ description: 'Before discounts.' }),
      discount_amount: shown.amount({ description: 'Taken off.' }),
      paid_amount: shown.amount({ description: 'Paid of it.' }),
      outstanding_amount: shown.amount({ description: 'Left to pay.' }),
      due_date: Type.Optional(shown.day({ description: 'Absent when the institute set none.' })),
      is_late: shown.flag({ description: 'Whether it is past its due day.' }),
    }),
    { description: 'In the order registered.' },
  ),
  late_fees: Type.Array(
    Type.Object({
      late_fee_id: shown.text({ description: 'Id of the rule behind it.' }),
      component_type: Type.Optional(shown.text({ description: 'What was late; absent: all the rest.' })),
      due_date: shown.day({ description: 'When it was due.' }),
      days_late: Type.Integer({ description: 'Days since then.' }),
      waived_amount: shown.amount({ description: 'Let off of it.' }),
      ...amounts,
    }),
    { description: 'Only while what they are for is due.' },
  ),
})

export const PayBody = Type.Object({
  amount: Type.Optional(
    field.positiveAmount({ description: 'Rupees; all that is due when absent.', examples: [5000] }),
  ),
  callback_url: Type.Optional(
    field.url({ description: 'Where the payer returns to.', examples: ['https://erp.example.in/fees'] }),
  ),
})

export const OrderView = Type.Object({
  order_id: shown.text({ description: 'Id of the order.' }),
  redirect_url: shown.text({ description: 'The page on which the parent pays.' }),
})

export const WaiverBody = Type.Object({
  late_fee_id: Type.Optional(
    field.resourceId({ description: 'Which late fee; all that are due when absent.' }),
  ),
  amount: Type.Optional(field.positiveAmount({ description: 'Rupees; all of it when absent.' })),
  reason: field.text({ description: 'Why; kept for good.' }),
})

export const EntryView = Type.Object({
  id: shown.text({ description: 'Id of the entry.' }),
  late_fee_id: shown.text({ description: 'Id of the rule behind it.' }),
  kind: shown.oneOf(['charged', 'waived'], { description: 'Paid, or let off.' }),
  order_id: Type.Optional(shown.text({ description: 'The order that paid it.' })),
  reason: Type.Optional(shown.text({ description: 'Why it was let off.' })),
  actor: Type.Optional(shown.text({ description: 'Who let it off.' })),
  at: shown.moment({ description: 'When.' }),
  ...amounts,
})

export const PaidView = Type.Object({
  order_id: shown.text({ description: 'Id of the order.' }),
  payment_id: shown.text({ description: 'Id of the payment.' }),
  product: shown.oneOf(['pay', 'flex', 'cred'], { description: 'What it was paid through.' }),
  status: shown.oneOf(['pending', 'captured', 'settled', 'reversed'], { description: 'How far it is.' }),
  refunded_amount: shown.amount({ description: 'Given back of it.' }),
  mode: shown.text({ description: 'How it was paid.' }),
  transaction_id: Type.Optional(shown.text({ description: "The bank's reference." })),
  paid_at: Type.Optional(shown.moment({ description: 'When the money left the payer.' })),
  receipt_number: Type.Optional(shown.text({ description: 'Number of the receipt.' })),
  details: Type.Array(Type.Object({ component_type: shown.text({ description: 'What for.' }), ...amounts }), {
    description: 'By component.',
  }),
  ...amounts,
})
