import { field, input, optional, type Read } from '../http/wire/input.ts'
import { badField } from '../platform/errors.ts'
import { paiseOf } from '../platform/money.ts'
import { ALLOCATIONS, SURPLUSES, TRANSFERS } from './dues.rules.ts'
import type { NewRules } from './payment-rules.service.ts'

/** What the payment rules of an institute are set by. */
const slab = input({
  from_day: field.wholeNumber('Holds from so many days after the due day on.', 1, [1, 3_650]),
  amount: field.amount('What the late fee is then, in all, rupees.', 200),
})

const lateFee = input({
  component_type: optional(
    field.code('Which component it is for; absent: every component that no other rule names.', 'TUITION_FEE'),
  ),
  due_date: field.day('When it is due, YYYY-MM-DD.', '2026-12-10').as('dueOn'),
  grace_days: optional(field.wholeNumber('Days after it that cost nothing; 0 when absent.', 3, [0, 365]), 0),
  kind: field.oneOf(
    ['none', 'per_day', 'slab'],
    'none: only a due day. per_day: an amount for each day since the due day. slab: by how late it is.',
    'per_day',
  ),
  amount_per_day: optional(field.positiveAmount('Rupees; with per_day.', 50)).as('perDayPaise'),
  slabs: optional(field.list('With slab: rising; the last that has begun holds.', slab, { max: 20 }), []),
  max_amount: optional(field.positiveAmount('Never more than this, rupees.', 2000)).as('capPaise'),
})

export const paymentRulesInput = input({
  part_payments: optional(
    field.flag('Whether parents may pay a part of what is due; true when absent.'),
    true,
  ),
  min_amount: optional(
    field.positiveAmount('The least that can be paid at once unless less is due; 1 when absent.', 500),
    paiseOf(100),
  ).as('leastPaise'),
  allocation: optional(
    field.oneOf(
      ALLOCATIONS,
      'How a part is spread: oldest_due (the default) first what an earlier year left, then by due day and in the order ' +
        'registered, as_registered in that order alone, in_proportion by what is owed of each. Late fees always come first.',
    ),
    'oldest_due',
  ),
  surplus: optional(
    field.oneOf(
      SURPLUSES,
      'What becomes of money beyond what was owed when it came in, because two people paid or a fee was lowered: refund ' +
        '(the default) sends it back by itself, advance keeps it.',
    ),
    'refund',
  ),
  transfers: optional(
    field.oneOf(
      TRANSFERS,
      'What a transfer to a student’s account number or UPI ID pays: oldest_due (the default) late fees and then what was due ' +
        'first, overdue those and only what is overdue, ask nothing until the family or the office uses it. What is left is an advance.',
    ),
    'oldest_due',
  ),
  hold_unknown_remitters: optional(
    field.flag(
      'Whether a transfer of somebody who never sent money for the student waits until the office takes it or sends it back.',
      false,
    ),
    false,
  ).as('holdsUnknown'),
  late_fees: optional(
    field.list('Due days and late fees; at most one for a component.', lateFee, { max: 50 }),
    [],
  ),
})

export function toRules(body: Read<typeof paymentRulesInput>): NewRules {
  const { partPayments: isAllowed, leastPaise, allocation, surplus, transfers, holdsUnknown } = body
  return {
    partPayment: { isAllowed, leastPaise },
    allocation,
    surplus,
    transfers,
    holdsUnknown,
    lateFees: body.lateFees.map(({ kind, perDayPaise, slabs, ...rule }, index) => ({
      ...rule,
      charge: toCharge({ kind, perDayPaise, slabs }, index),
    })),
  }
}

type Charge = NewRules['lateFees'][number]['charge']

function toCharge(
  { kind, perDayPaise, slabs }: Pick<Read<typeof lateFee>, 'kind' | 'perDayPaise' | 'slabs'>,
  index: number,
): Charge {
  if (kind === 'none') return { kind }
  if (kind === 'slab') return { kind, slabs }
  if (perDayPaise === null) throw badField(`late_fees.${index}.amount_per_day`, 'is required with per_day')
  return { kind, amountPaise: perDayPaise }
}
