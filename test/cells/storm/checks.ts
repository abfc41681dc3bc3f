import assert from 'node:assert/strict'
import { readConfig } from '../../../src/app/config.ts'
import { openDatabase } from '../../../src/app/open-database.ts'
import { openCellDatabase } from '../../../src/cells/connections.ts'
import { examineCells } from '../../../src/cells/status.service.ts'
import { checkBooks } from '../../../src/payments/reconcile/reconcile.service.ts'
import { findBroken } from '../../harness/payments.ts'
import { waitFor } from '../../harness/wait.ts'
import { countRows, expectNothingLeftBehind } from '../move/checks.ts'
import type { Families } from './families.ts'
import { CELLS, type CellName, type Stage, type StormCell } from './stage.ts'

/** When nobody writes any more: nothing is lost, nothing is doubled, and all books agree. */
export async function expectAllOnce(
  stage: Stage,
  families: readonly Families[],
  homes: ReadonlyMap<string, CellName>,
): Promise<void> {
  const { cells } = stage
  for (const one of families) {
    const home = homes.get(one.school.code) ?? assert.fail()
    await expectPaidOnce(stage, cells[home], one)
    await expectToldOnce(stage, cells[home], one)
    for (const name of CELLS)
      if (name !== home)
        assert.equal(await countRows(cells[name].postgres, one.school.id), 0, `${one.school.code} in ${name}`)
  }
  for (const name of CELLS) {
    assert.deepEqual(await findBroken(cells[name].postgres.sql), [], name)
    await expectNothingLeftBehind(cells[name].postgres)
    for (const { said } of cells[name].bursars) assert.doesNotMatch(said, /"level":"fatal"|unhandled/i)
  }
  await expectBooksAgree(stage, homes)
}

/** Every order that was answered is there and no other; who paid did so once, at Bursar and at the gateway, and has one receipt. */
async function expectPaidOnce(stage: Stage, { postgres }: StormCell, one: Families): Promise<void> {
  const { school, ordered, paid } = one
  const rows = await postgres.sql<{ id: string; captured: number; receipts: number; told: number }>(
    `select o.id,
       (select count(*)::int from payments p where p.institute_id = $1 and p.order_id = o.id and p.state = 'captured') as captured,
       (select count(*)::int from receipts r join payments p on p.institute_id = $1 and p.id = r.payment_id
         where r.institute_id = $1 and p.order_id = o.id) as receipts,
       (select count(*)::int from events e where e.institute_id = $1 and e.resource_id = o.id
         and e.event_code = 'pay.payment.debited') as told
     from orders o where o.institute_id = $1`,
    [school.id],
  )
  assert.deepEqual(rows.map(({ id }) => id).toSorted(), [...ordered].toSorted(), `orders of ${school.code}`)
  const wrong = rows.filter(({ id, captured, receipts, told }) =>
    paid.has(id)
      ? captured !== 1 || receipts !== 1 || told !== 1
      : captured > 1 || receipts !== captured || told !== captured,
  )
  assert.deepEqual(wrong, [], `payments of ${school.code}`)
  const charged = {
    sandbox: null,
    razorpay: [...stage.razorpay.links.values()].filter(({ status }) => status === 'paid').length,
    cashfree: [...stage.cashfree.books.orders.values()].filter(
      ({ order_status: status }) => status === 'PAID',
    ).length,
  }[school.gateway]
  if (charged !== null)
    assert.equal(
      rows.reduce((sum, { captured }) => sum + captured, 0),
      charged,
      school.gateway,
    )
}

/** Each event has one delivery, which arrived; what is received twice has one id. */
async function expectToldOnce(
  { receiver }: Stage,
  { postgres }: StormCell,
  { school }: Families,
): Promise<void> {
  // As when the leases of those who died have run out.
  await postgres.sql(
    `update webhook_queue set claimed_until = now() - interval '1 second' where institute_id = $1 and claim is not null`,
    [school.id],
  )
  const readOpen = (): Promise<unknown[]> =>
    postgres.sql(`select from webhook_deliveries where institute_id = $1 and state <> 'delivered'`, [
      school.id,
    ])
  await waitFor(async () => (await readOpen()).length === 0, `the deliveries of ${school.code}`)
  const rows = await postgres.sql<{ id: string; deliveries: number }>(
    `select e.resource_id as id, count(d.id)::int as deliveries from events e
     left join webhook_deliveries d on d.institute_id = e.institute_id and d.event_id = e.id
     where e.institute_id = $1 and e.event_code = 'pay.payment.debited' group by e.id, e.resource_id`,
    [school.id],
  )
  assert.deepEqual(
    rows.filter(({ deliveries }) => deliveries !== 1),
    [],
    `deliveries of ${school.code}`,
  )
  const idsByOrder = new Map<string, Set<string>>()
  for (const { path, headers, body } of receiver.requests) {
    if (path !== `/${school.code}`) continue
    const orderId = /\border_[0-9a-z]{26}\b/.exec(body)?.[0] ?? assert.fail(body)
    const ids = idsByOrder.get(orderId) ?? new Set()
    idsByOrder.set(orderId, ids.add(String(headers['webhook-id'])))
  }
  assert.deepEqual([...idsByOrder.keys()].toSorted(), rows.map(({ id }) => id).toSorted())
  for (const [order, ids] of idsByOrder) assert.equal(ids.size, 1, `${order} was told under several ids`)
}

/** Those of every school, and the cells, the directory and the proxy among each other. */
async function expectBooksAgree(
  { cells, env, proxy, schools }: Stage,
  homes: ReadonlyMap<string, CellName>,
): Promise<void> {
  for (const { id, code } of schools) {
    const db = openCellDatabase(cells[homes.get(code) ?? assert.fail()].postgres.url)
    try {
      const checks = await checkBooks({ db }, { id })
      assert.deepEqual(
        checks.flatMap(({ differences }) => differences),
        [],
        code,
      )
    } finally {
      await db.close()
    }
  }
  const { ctx } = await openDatabase(readConfig({ ...env, DEMO: 'off' }))
  try {
    const proxies = { folder: proxy.maps, sockets: [proxy.socket] }
    const seen = await examineCells(ctx, { cell: 'north', proxies })
    assert.deepEqual(seen, { cells: 2, problems: [] })
  } finally {
    await ctx.db.close()
  }
}
