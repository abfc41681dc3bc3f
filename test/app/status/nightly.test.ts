import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { checkNextBooks, readBooksCheck } from '../../../src/payments/reconcile/reconcile.service.ts'
import { startBursar } from '../../harness/bursar.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'

const bursar = await startBursar({ after })
const { demo } = bursar

/** With a clock of its own, so that nothing else moves. */
function at(moment: string): Parameters<typeof checkNextBooks>[0] {
  return { ...bursar.app.ctx, clock: { now: () => new Date(moment) } }
}

async function checkAll(moment: string): Promise<number> {
  let checked = 0
  while ((await checkNextBooks(at(moment))) > 0) checked++
  return checked
}

test('the books of every institute are checked once a night, and what differs is counted and named', async () => {
  const {
    ctx: { db },
  } = bursar.app
  const institutes = (await bursar.sql('select from institutes')).length
  assert.equal(await checkAll('2026-11-17T10:00:00Z'), 0, 'a first start only plans the first night')
  assert.equal(await checkAll('2026-11-17T20:00:00Z'), 0, 'half past one in India')
  assert.equal(await checkAll('2026-11-17T20:31:00Z'), institutes)
  assert.deepEqual(await readBooksCheck(db), {
    at: '2026-11-17T20:31:00.000Z',
    institutes,
    differences: 0,
    differing: [],
    unchecked: [],
  })
  assert.equal(await checkAll('2026-11-17T23:00:00Z'), 0, 'once a night')

  const order = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data.order_id
  await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' })
  await bursar.sql(`update orders set state = 'unpaid', paid_at = null where id = '${order}'`)
  assert.equal(await checkAll('2026-11-18T20:31:00Z'), institutes)
  const found = await readBooksCheck(db)
  assert.ok((found?.differences ?? 0) >= 1)
  assert.deepEqual(found?.differing, ['demo-school'])
  const page = await (await fetch(`${bursar.url}/metrics`)).text()
  assert.match(page, new RegExp(`^bursar_books_differences ${found?.differences}$`, 'm'))
  assert.match(page, /^bursar_books_unchecked 0$/m)
})

test('two processes never check the same institute, and one that died leaves it to the next', async () => {
  const institutes = (await bursar.sql('select from institutes')).length
  const night = '2026-11-19T20:31:00Z'
  const [one, other] = await Promise.all([checkNextBooks(at(night)), checkNextBooks(at(night))])
  assert.ok(one + other >= 1)
  assert.equal(one + other + (await checkAll(night)), institutes)

  // As if a process had taken the first one and died.
  const later = '2026-11-20T20:31:00Z'
  await bursar.sql(
    `update instance_settings set value = (value::jsonb || '{"leasedUntil": "2026-11-20T20:40:00.000Z"}')::text where key = 'books_check'`,
  )
  assert.equal(await checkAll(later), 0)
  assert.equal(await checkAll('2026-11-20T20:41:00Z'), institutes)
})
