import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import measured from '../../bench/cells/measured.json' with { type: 'json' }
import { capacityOf, needOf, sizingGuide } from '../../tools/sizing-guide.ts'

test('the guide says of cells what was measured', () => {
  const page = readFileSync(new URL('../../docs/operator/sizing.md', import.meta.url), 'utf8')
  assert.ok(page === sizingGuide(), 'sizing.md is not up to date: run `node tools/sizing-guide.ts`')
})

test('a payment in a cell costs what it costs in an installation by itself, within 5 %', () => {
  const { from, median, to } = measured.ratio
  assert.ok(median > 0.95 && median < 1.05, `${median}, between ${from} and ${to}`)
})

test('twice the cost needs twice the cells', () => {
  const cost = { nodeMs: 0, helpersMs: 0, postgresMs: 0, proxyMs: 1, leastMs: 0, mostMs: 0, perSecond: 0 }
  const at = (paymentMs: number, readMs: number) => {
    const payment = { ...cost, cellMs: paymentMs }
    const read = { ...cost, proxyMs: 0.1, cellMs: readMs }
    return capacityOf({ payment: { straight: payment, behind: payment }, read })
  }
  const capacity = at(10, 0.5)
  // 8 cores, half of them, 20 ms for a payment and its 20 reads.
  assert.deepEqual(
    [capacity.paymentMs, capacity.perSecond, capacity.students, capacity.proxyMs],
    [20, 200, 7_200_000, 3],
  )
  assert.deepEqual(needOf(72_000_000, capacity), {
    perSecond: 2_000,
    cells: 10,
    gbPerCell: 864,
    proxyCores: 12,
  })
  assert.equal(needOf(72_000_000, at(20, 1)).cells, 20)
})
