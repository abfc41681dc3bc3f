import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { OrderLine } from '../../../src/orders/orders.rules.ts'
import type { Payment } from '../../../src/payments/payments.rules.ts'
import {
  leftByLine,
  refundableOf,
  refundLines,
  type AskedRefund,
  type Refund,
} from '../../../src/payments/refunds/refunds.rules.ts'
import { paiseOf, sumPaise, ZERO, type Paise } from '../../../src/platform/money.ts'

const COMPONENTS = ['TUITION_FEE', 'BUS_FEE', 'LAB_FEE'] as const

/** A component may stand on several lines. */
const orderLines = fc.array(
  fc.record({
    componentType: fc.constantFrom(...COMPONENTS),
    amountPaise: fc.integer({ min: 1, max: 10_000_000_000 }).map(paiseOf),
  }),
  { minLength: 1, maxLength: 6 },
)

const asked = fc.record({
  /** A share of what is left, now and then above it. */
  share: fc.double({ min: 0, max: 1.2, noNaN: true }),
  way: fc.constantFrom('all', 'amount', 'lines'),
  of: fc.subarray([...COMPONENTS], { minLength: 1 }),
  kind: fc.constantFrom('requested', 'duplicate'),
  state: fc.constantFrom('pending', 'processed', 'failed'),
} as const)

function orderOf(lines: readonly Pick<OrderLine, 'componentType' | 'amountPaise'>[]): { lines: OrderLine[] } {
  return { lines: lines.map(line => ({ ...line, label: null, settlementUtr: null, settledAt: null })) }
}

function refundOf(lines: Refund['lines'], changes: Partial<Refund> = {}): Refund {
  return {
    instituteId: 1,
    id: 'rfd_1',
    paymentId: 'pay_1',
    orderId: 'order_1',
    kind: 'requested',
    state: 'pending',
    amountPaise: sumPaise(lines.map(line => line.amountPaise)),
    cause: null,
    chargedPaise: ZERO,
    reason: null,
    providerRef: null,
    utr: null,
    failureMessage: null,
    requestedAt: new Date(0),
    processedAt: null,
    tries: 0,
    lines,
    ...changes,
  }
}

const sumOf = (lines: readonly { amountPaise: Paise }[]): Paise =>
  sumPaise(lines.map(line => line.amountPaise))

test('random refunds by amount and by line never go above what was paid, add up exactly, and leave each line what is due again', () => {
  fc.assert(
    fc.property(orderLines, fc.array(asked, { maxLength: 12 }), (lines, wishes) => {
      const order = orderOf(lines)
      const payment = { amountPaise: sumOf(order.lines) } as Payment
      const refunds: Refund[] = []
      /** What a model that knows nothing of proportions says is given back of each line. */
      const given = order.lines.map(() => 0)
      for (const { share, way, of, kind, state } of wishes) {
        const left = leftByLine(order, refunds)
        const wish = wishOf(order, left, { share, way, of })
        const most = sumPaise(left)
        const isAbove =
          most === 0 ||
          (wish.amountPaise !== null && wish.amountPaise > most) ||
          (wish.lines ?? []).some(line => line.amountPaise > leftOf(order, left, line.componentType))
        if (isAbove) {
          assert.throws(() => refundLines(order, refunds, wish), { code: 'HUE00002' })
          continue
        }
        const parts = refundLines(order, refunds, wish)
        if (wish.lines === null) assert.equal(sumOf(parts), wish.amountPaise ?? most)
        for (const line of wish.lines ?? [])
          assert.equal(
            sumOf(parts.filter(part => part.componentType === line.componentType)),
            line.amountPaise,
          )
        for (const { lineNo, componentType, amountPaise } of parts) {
          assert.equal(order.lines[lineNo - 1]?.componentType, componentType)
          assert.ok(amountPaise > 0 && amountPaise <= (left[lineNo - 1] ?? 0))
          if (kind === 'requested' && state !== 'failed')
            given[lineNo - 1] = (given[lineNo - 1] ?? 0) + amountPaise
        }
        refunds.push(refundOf(parts, { kind, state }))
        assert.deepEqual(
          leftByLine(order, refunds).map(Number),
          order.lines.map((line, index) => line.amountPaise - (given[index] ?? 0)),
        )
        assert.equal(refundableOf(payment, refunds), sumPaise(leftByLine(order, refunds)))
      }
    }),
  )
})

function leftOf(order: { lines: OrderLine[] }, left: readonly Paise[], componentType: string): number {
  return order.lines.reduce(
    (sum, line, index) => sum + (line.componentType === componentType ? (left[index] ?? 0) : 0),
    0,
  )
}

function wishOf(
  order: { lines: OrderLine[] },
  left: readonly Paise[],
  { share, way, of }: { share: number; way: 'all' | 'amount' | 'lines'; of: readonly string[] },
): AskedRefund {
  const part = (most: number): Paise => paiseOf(Math.max(1, Math.floor(most * share)))
  const none: AskedRefund = { amountPaise: null, lines: null, reason: null }
  if (way === 'all') return none
  if (way === 'amount') return { ...none, amountPaise: part(sumPaise(left)) }
  const known = of.filter(component => order.lines.some(line => line.componentType === component))
  if (known.length === 0) return none
  return {
    ...none,
    lines: known.map(componentType => ({
      componentType,
      amountPaise: part(leftOf(order, left, componentType)),
    })),
  }
}

const order = orderOf([
  { componentType: 'TUITION_FEE', amountPaise: paiseOf(100) },
  { componentType: 'BUS_FEE', amountPaise: paiseOf(50) },
])
const line = (componentType: string, paise: number) => ({ componentType, amountPaise: paiseOf(paise) })

test('a refund names components that were paid, each once, and an amount beside them that is their sum', () => {
  const asks = (lines: AskedRefund['lines'], amountPaise: Paise | null = null) =>
    assert.throws(() => refundLines(order, [], { amountPaise, lines }), { code: 'HUE00000' })
  asks([line('LAB_FEE', 10)])
  asks([line('BUS_FEE', 10), line('BUS_FEE', 10)])
  asks([line('BUS_FEE', 10)], paiseOf(11))
  assert.deepEqual(refundLines(order, [], { amountPaise: paiseOf(10), lines: [line('BUS_FEE', 10)] }), [
    { lineNo: 2, ...line('BUS_FEE', 10) },
  ])
})

test('a debit that the bank took back leaves nothing to refund', () => {
  const all = refundLines(order, [], { amountPaise: null, lines: null })
  const returned = refundOf(all, { kind: 'returned', state: 'processed' })
  assert.throws(() => refundLines(order, [returned], { amountPaise: null, lines: null }), {
    code: 'HUE00002',
  })
})
