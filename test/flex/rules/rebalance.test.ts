import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paiseOf } from '../../../src/platform/money.ts'
import { limitLines } from '../../../src/flex/rules/erp-schedule.rules.ts'
import { sumLines, totalsOf, type Line } from '../../../src/flex/rules/plan.rules.ts'
import {
  rebalanceRows,
  type BalanceRow,
  type Rebalanced,
  type ComponentTarget,
} from '../../../src/flex/rules/rebalance.rules.ts'

const COMPONENTS = ['TUITION', 'TRANSPORT', 'HOSTEL', 'LAB']
const paise = fc
  .oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 10_000_000_00 }))
  .map(paiseOf)
const componentType = fc.constantFrom(...COMPONENTS)
const line: fc.Arbitrary<Line> = fc.record({ componentType, amountPaise: paise })
const lines = fc.uniqueArray(line, { selector: one => one.componentType, maxLength: 4 })

const KINDS = ['to_come', 'to_come', 'fixed', 'ended', 'past_covered', 'past_waived'] as const
const anyRow = fc.record({
  kind: fc.constantFrom(...KINDS),
  planned: lines,
  takenPercent: fc.constantFrom(0, 50, 100, 100),
})
const rowsOf = (row: typeof anyRow) =>
  fc.array(row, { maxLength: 8 }).map(all =>
    all.map(({ kind, planned, takenPercent }, index): BalanceRow => {
      const percent = kind === 'to_come' || kind === 'fixed' ? takenPercent : 0
      const taken = planned.map(({ componentType: type, amountPaise }) => ({
        componentType: type,
        amountPaise: paiseOf(Math.floor((amountPaise * percent) / 100)),
      }))
      return { id: `i${index}`, kind, planned, lines: taken }
    }),
  )
const rows = rowsOf(anyRow)
const targets: fc.Arbitrary<ComponentTarget[]> = fc.uniqueArray(
  fc.record({
    componentType,
    amountPaise: paise,
    feeChangePaise: fc.integer({ min: -1_000, max: 10_000_00 }),
  }),
  { selector: one => one.componentType, maxLength: 4 },
)

const amountOf = (all: readonly Line[], type: string): number => totalsOf(all).get(type) ?? 0
const targetOf = (wanted: readonly ComponentTarget[], type: string): number =>
  wanted.find(one => one.componentType === type)?.amountPaise ?? 0
const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

function after(before: readonly BalanceRow[], { rows: changed }: Rebalanced): BalanceRow[] {
  const byId = new Map(changed.map(row => [row.id, row]))
  return before.map(row => ({ ...row, ...byId.get(row.id) }))
}

test('after rebalancing a plan takes exactly what is owed of each component, and what comes back has no row', () => {
  fc.assert(
    fc.property(rows, targets, (before, wanted) => {
      const result = rebalanceRows(before, wanted)
      const taken = after(before, result).flatMap(row => row.lines)
      for (const type of COMPONENTS)
        assert.equal(amountOf(taken, type) + amountOf(result.comesBack, type), targetOf(wanted, type))
    }),
    { numRuns: 500 },
  )
})

test('a limited plan takes no more than is owed, and never more than was planned', () => {
  fc.assert(
    fc.property(rows, targets, (before, wanted) => {
      const result = rebalanceRows(before, wanted, true)
      const all = after(before, result)
      for (const type of COMPONENTS) {
        const taken = amountOf(
          all.flatMap(row => row.lines),
          type,
        )
        assert.ok(taken + amountOf(result.comesBack, type) <= targetOf(wanted, type))
        const planned = amountOf(
          before.flatMap(row => row.planned),
          type,
        )
        assert.ok(taken + amountOf(result.comesBack, type) <= Math.max(planned, 0))
      }
    }),
    { numRuns: 500 },
  )
})

test('what is owed less is taken off the earliest instalments first', () => {
  fc.assert(
    fc.property(rows, targets, (before, wanted) => {
      const all = after(before, rebalanceRows(before, wanted))
      for (const type of COMPONENTS) {
        const then = before.map(row => amountOf(row.lines, type))
        const now = all.map(row => amountOf(row.lines, type))
        if (targetOf(wanted, type) >= sum(then)) continue
        const lastLowered = now.findLastIndex((amount, index) => amount !== then[index])
        const firstLeft = now.findIndex(amount => amount > 0)
        assert.ok(firstLeft < 0 || lastLowered <= firstLeft)
        assert.ok(now.every((amount, index) => amount <= (then[index] ?? 0)))
      }
    }),
    { numRuns: 500 },
  )
})

test('what was lowered or ended comes back as it was when the money goes back or the fee returns', () => {
  const full = rowsOf(anyRow.map(row => ({ ...row, takenPercent: 100 })))
  fc.assert(
    fc.property(full, targets, fc.boolean(), (all, wanted, isByFee) => {
      const open = all.filter(({ kind }) => kind === 'to_come' || kind === 'fixed')
      const then = COMPONENTS.map(type => ({
        componentType: type,
        amountPaise: paiseOf(
          amountOf(
            open.flatMap(row => row.lines),
            type,
          ),
        ),
      }))
      const lower = then.map(({ componentType: type, amountPaise }) => ({
        componentType: type,
        amountPaise: paiseOf(Math.min(amountPaise, targetOf(wanted, type))),
        feeChangePaise: isByFee ? -1 : 0,
      }))
      const lowered = after(open, rebalanceRows(open, lower)).map((row): BalanceRow => {
        return row.lines.length === 0 ? { ...row, kind: 'ended' } : row
      })
      const back = then.map(one => ({ ...one, feeChangePaise: isByFee ? one.amountPaise : 0 }))
      const result = rebalanceRows(lowered, back)
      assert.deepEqual(result.comesBack, [])
      for (const [index, row] of after(lowered, result).entries())
        for (const type of COMPONENTS)
          assert.equal(amountOf(row.lines, type), amountOf(open[index]?.lines ?? [], type))
    }),
    { numRuns: 500 },
  )
})

const amount = (rupees: number): Line[] => [{ componentType: 'TUITION', amountPaise: paiseOf(rupees * 100) }]

const target = (rupees: number, feeChange: number): ComponentTarget[] => [
  { componentType: 'TUITION', amountPaise: paiseOf(rupees * 100), feeChangePaise: feeChange * 100 },
]

const rupees = ({ rows: changed, comesBack }: Rebalanced): unknown => [
  changed.map(row => [row.id, sumLines(row.lines) / 100]),
  sumLines(comesBack) / 100,
]

test('a fee that rose is spread over what is to come; money that went back for a day that is over is not', () => {
  const plan: BalanceRow[] = [
    { id: 'past', kind: 'past_covered', planned: amount(1000), lines: [] },
    { id: 'one', kind: 'to_come', planned: amount(1000), lines: amount(1000) },
    { id: 'two', kind: 'to_come', planned: amount(1000), lines: amount(1000) },
  ]
  const risen = [
    ['one', 1250],
    ['two', 1250],
  ]
  assert.deepEqual(rupees(rebalanceRows(plan, target(2500, 500))), [risen, 0])
  assert.deepEqual(rupees(rebalanceRows(plan, target(2500, 0))), [[['past', 0]], 500])
  assert.deepEqual(rupees(rebalanceRows(plan, target(2500, 500), true)), [[], 0])
})

test('only instalments that change come back, and rebalancing again changes nothing', () => {
  fc.assert(
    fc.property(rows, targets, fc.boolean(), (before, wanted, isLimited) => {
      const result = rebalanceRows(before, wanted, isLimited)
      for (const { id, lines: now, planned } of result.rows) {
        const then = before.find(row => row.id === id) ?? assert.fail()
        const isOther = (type: string): boolean =>
          amountOf(then.lines, type) !== amountOf(now, type) ||
          amountOf(then.planned, type) !== amountOf(planned, type)
        assert.ok(COMPONENTS.some(isOther))
      }
      const all = after(before, result).map((row): BalanceRow => {
        return row.kind === 'ended' && row.lines.length > 0 ? { ...row, kind: 'to_come' } : row
      })
      if (result.comesBack.length > 0)
        all.push({ id: 'new', kind: 'fixed', planned: result.comesBack, lines: result.comesBack })
      const taken = all.flatMap(row => row.lines)
      // What a limited plan leaves open is outside of it from now on.
      const then = COMPONENTS.map(type => ({
        componentType: type,
        amountPaise: paiseOf(amountOf(taken, type)),
        feeChangePaise: 0,
      }))
      const again = rebalanceRows(
        all.filter(row => !row.kind.startsWith('past')),
        then,
        isLimited,
      )
      assert.deepEqual(again, { rows: [], comesBack: [] })
    }),
    { numRuns: 500 },
  )
})

test('rows of an ERP take what they ask for while it is owed, and the latest give way first', () => {
  const asked = fc.array(lines, { maxLength: 6 }).map(all => all.map(one => ({ lines: one })))
  fc.assert(
    fc.property(asked, lines, (wanted, owed) => {
      const limited = limitLines(wanted, owed)
      const all = wanted.map(row => limited.get(row) ?? assert.fail())
      for (const type of COMPONENTS) {
        const taken = all.map(one => amountOf(one, type))
        const sent = wanted.map(row => amountOf(row.lines, type))
        assert.equal(sum(taken), Math.min(sum(sent), amountOf(owed, type)))
        const firstCut = taken.findIndex((amount, index) => amount < (sent[index] ?? 0))
        if (firstCut >= 0) assert.ok(taken.slice(firstCut + 1).every(amount => amount === 0))
      }
    }),
    { numRuns: 500 },
  )
})
