import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertFits } from '../../harness/openapi/schema.ts'
import { EVENT_CODES, type EventCode } from '../../../src/events/define-event.ts'
import { linkOutput, orderOutput } from '../../../src/orders/order.output.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { makeEvent, makePayment, makeRefund } from '../../../src/sandbox/integration-check/check.rules.ts'
import { exampleEvent, resourceOf } from '../../../src/sandbox/trigger/example-event.ts'
import { CATALOGUE } from '../../../src/webhooks/events.docs.ts'
import type { Json } from '../../harness/client.ts'

type Line = { component_type: string; amount: number; settlement_utr?: string; settled_at?: string }

const moments = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2046-12-31T00:00:00Z'),
  noInvalidDate: true,
})

const RESOURCES: [RegExp, RegExp][] = [
  [/^flex\./, /^plan_/],
  [/^cred\./, /^loan_/],
  [/^(masterdata|direct|virtual_account)\./, /^student_/],
  [/./, /^order_/],
]

/** As it goes over the wire. */
function payloadOf(code: EventCode, now: Date): Json {
  return JSON.parse(JSON.stringify(exampleEvent(code, { now, collectorCode: 'NORTH' })))
}

function ofEvery(prefix: RegExp, check: (payload: Json, now: Date, code: EventCode) => void): void {
  const codes = EVENT_CODES.filter(code => prefix.test(code))
  assert.ok(codes.length > 0)
  const judge = (code: EventCode, now: Date): void => check(payloadOf(code, now), now, code)
  fc.assert(fc.property(fc.constantFrom(...codes), moments, judge), { numRuns: codes.length * 20 })
}

function sumOf(lines: readonly { amount: number }[]): number {
  return lines.reduce((sum, line) => sum + Math.round(line.amount * 100), 0) / 100
}

for (const code of EVENT_CODES) {
  test(`the made-up ${code} is exactly as the catalogue has it, and in the line of its own resource`, () => {
    fc.assert(
      fc.property(moments, now => {
        const payload = payloadOf(code, now)
        assertFits(CATALOGUE[code].payload.schema, payload, code)
        const [, prefix] = RESOURCES.find(([family]) => family.test(code)) ?? assert.fail()
        assert.match(resourceOf(payload), prefix)
        assert.notEqual(resourceOf(payloadOf(code, now)), resourceOf(payload))
      }),
      { numRuns: 20 },
    )
  })
}

test('the judge above refuses a missing field, a wrong one and one too many', () => {
  const schema = { type: 'object', required: ['on'], properties: { on: { type: 'string', format: 'date' } } }
  for (const value of [{}, { on: 'today' }, { on: '2026-02-30' }, { on: '2026-02-01', off: 1 }]) {
    assert.throws(() => assertFits(schema, value, 'planted'), JSON.stringify(value))
  }
  assertFits(schema, { on: '2026-02-01' }, 'clean')
})

test("a payment's lines add up to it, and none was paid or settled later than the event", () => {
  ofEvery(/payment|instalment\.(debited|settled)|refund/, ({ payment }, now, code) => {
    if (payment === undefined) return assert.match(code, /expired|cancelled$/)
    assert.equal(sumOf(payment.details), payment.amount)
    assert.ok(Date.parse(payment.paid_at) <= now.getTime())
    const isSettled = /settled$|^refund/.test(code)
    for (const line of payment.details as Line[]) {
      assert.equal(line.settlement_utr, payment.settlement_utr)
      if (code.startsWith('refund')) assert.ok((line.settled_at ?? '9') <= now.toISOString())
      else assert.equal(line.settled_at, isSettled ? now.toISOString() : undefined)
    }
    if (!isSettled) return assert.equal(payment.settlement_utr, undefined)
    assert.match(payment.settlement_utr, /^[A-Z]{5}\d{14}$/)
  })
})

test('an order or link is shown as its read view, and paid as its payment says', () => {
  ofEvery(/^(pay\.payment|order|payment_link|page)\./, ({ order_id, order, payment }, now, code) => {
    const isLink = code.startsWith('payment_link')
    assertFits((isLink ? linkOutput : orderOutput).schema, order, code)
    assert.equal(order.id, order_id)
    const ended = /payment_link\.payment\.(expired|cancelled)/.exec(code)?.[1]
    assert.equal(order.status, ended ?? 'paid')
    if (ended === 'expired') assert.equal(order.expires_at, now.toISOString())
    else if (isLink) assert.ok(order.expires_at > now.toISOString())
    if (ended !== undefined) return
    const { transaction_id, paid_at, details } = payment
    assert.deepEqual(
      { transaction_id, paid_at, details },
      { transaction_id: order.transaction_id, paid_at: order.paid_at, details: order.details },
    )
  })
})

test('a student is one of the branch, in the school year of India, whom nobody can call or write to', () => {
  ofEvery(/^(masterdata|direct|flex|cred)\./, ({ student }, now) => {
    assert.equal(student.collector_code, 'NORTH')
    const [year, month] = dayOf(now).split('-').map(Number) as [number, number]
    assert.equal(student.academic_year_start, month < 4 ? year - 1 : year)
    assert.equal(student.academic_year_end, student.academic_year_start + 1)
    assert.match(student.primary_contact_number, /^\+91 98765 4321\d$/)
    assert.match(student.primary_contact_email, /^[a-z.]+@example\.in$/)
  })
})

const PLAN_STATES: Record<string, string> = {
  'flex.subscription.setup': 'setup',
  'flex.subscription.cancelled': 'cancelled',
  'flex.subscription.closed': 'closed',
  'flex.subscription.locked': 'locked',
  'flex.mandate.cancelled': 'locked',
  'flex.mandate.expired': 'locked',
  'flex.downpayment.debited': 'setup',
}

test('a plan is in the state that its event brings, and only a closed one is paid in full', () => {
  ofEvery(/^flex\./, ({ subscription, payment_schedule: schedule, instalment, payment }, _now, code) => {
    assert.equal(subscription.status, PLAN_STATES[code] ?? 'active')
    const { total_amount: total, paid_amount: paid } = subscription
    assert.ok(paid >= 0 && paid <= total)
    assert.equal(paid === total, code === 'flex.subscription.closed')
    if (payment !== undefined) assert.ok(paid >= payment.amount)
    if (instalment !== undefined) {
      assert.equal(sumOf(instalment.details), instalment.amount)
      assert.equal(instalment.status, code.split('.').at(-1))
      if (payment !== undefined) assert.equal(payment.amount, instalment.amount)
    }
    if (schedule === undefined) return
    assert.equal(sumOf(schedule), total)
    const came = schedule.filter(({ status }: Json) => status === 'settled' || status === 'debited')
    assert.equal(sumOf(came), paid)
    for (const row of schedule) assert.equal(sumOf(row.details), row.amount)
    const days: string[] = schedule.map((row: Json) => row.due_date)
    assert.ok(
      days.every((day, n) => n === 0 || day > (days[n - 1] ?? '')),
      String(days),
    )
    assert.deepEqual(
      schedule.map((row: Json) => row.is_downpayment),
      [true, false],
    )
  })
})

test('an updated plan shows the change in its schedule', () => {
  ofEvery(/^flex\.subscription\.updated$/, ({ payment_schedule: schedule, changes: [change] }) => {
    const [, id, key] = change.field.split('.')
    assert.equal(schedule.find((row: Json) => row.id === id)[key], change.after)
    assert.ok(change.before < change.after)
  })
})

test('a mandate covers its instalments, has a UMRN of 20 characters once accepted, and is over only when it ended', () => {
  ofEvery(/^flex\.(mandate|subscription\.(setup|active))/, ({ mandate }, now, code) => {
    const state = /mandate\.(\w+)/.exec(code)?.[1] ?? (code.endsWith('setup') ? 'pending' : 'active')
    assert.equal(mandate.status, state)
    assert.ok(mandate.max_amount >= 6_000)
    if (state === 'pending') assert.equal(mandate.umrn, undefined)
    else assert.match(mandate.umrn, /^[A-Z]{4}\d{16}$/)
    assert.ok(mandate.start_date < mandate.end_date)
    assert.equal(mandate.end_date < dayOf(now), state === 'expired')
    assert.equal(mandate.npci_category_code, state === 'cancelled' ? 'customer_revoked' : undefined)
  })
})

test('what is presented or tried again comes later than today, and a bounce says why', () => {
  ofEvery(/^flex\.instalment\.(bounced|skipped)$/, (payload, now) => {
    assert.ok((payload.next_presentation_on ?? payload.next_try_on) > dayOf(now))
    assert.ok(payload.reason.message.length > 10)
  })
})

test('a loan is paid out and back in parts of its amount', () => {
  ofEvery(/^cred\./, ({ application, disbursements, disbursement, payment }, _now, code) => {
    if (disbursements !== undefined) assert.equal(sumOf(disbursements), application.amount)
    if (disbursement !== undefined) {
      assert.ok(disbursement.is_disbursed && disbursement.amount <= application.amount)
      assert.equal(disbursement.disbursed_amount, disbursement.amount)
    }
    if (payment !== undefined) assert.ok(payment.amount < application.amount)
    if (code === 'cred.loan.final_approved') assert.ok(application.amount > 0)
    const status = code.split('.').at(-1)?.replace('application_', '')
    assert.equal(application.status, code === 'cred.emi.debited' ? 'disbursed' : status)
  })
})

test('a refund is of a part of its payment, with a bank reference only when it was made', () => {
  ofEvery(/^refund\./, ({ payment, refund }, _now, code) => {
    assert.ok(refund.amount > 0 && refund.amount < payment.amount)
    assert.equal(`refund.${refund.status}`, code)
    assert.equal(refund.utr !== undefined, refund.status === 'processed')
    assert.equal(refund.processed_at !== undefined, refund.status === 'processed')
  })
})

test('the events of an integration check are as the catalogue has them, but for the one field that is added', () => {
  const about = { now: new Date(), collectorCode: 'MAIN', record: null, studentId: 'student_known' }
  const paid = makePayment('pay.payment.debited', about, 1)
  const events = {
    'pay.payment.debited': paid,
    'refund.processed': makeRefund(paid, about, 2),
    'flex.instalment.debited': makePayment('flex.instalment.debited', about, 1),
    'flex.instalment.skipped': makeEvent('flex.instalment.skipped', about, 1),
  } as const
  for (const [code, { payload }] of Object.entries(events)) {
    const { added_in_a_later_version: isAdded, ...known } = payload
    assert.equal(isAdded, true)
    const { schema } = CATALOGUE[code as keyof typeof events].payload
    assertFits(schema, known, code)
  }
  assert.equal(paid.payload['service_student_id'], 'student_known')
  assert.equal(paid.payload['order_id'], (paid.payload['order'] as { id: string }).id)
  assert.equal(events['refund.processed'].payload['order_id'], paid.payload['order_id'])
})
