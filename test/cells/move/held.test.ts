import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'

test('jobs leave the rows of a school alone that is arriving or about to leave, and do those of others', async t => {
  const bursar = await startBursar(t)
  const { app, demo, group } = bursar
  const orders = [
    await demo.post(`${PAY}/orders`, sampleOrder()),
    await group.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' })),
  ].map(({ body }) => body.data.order_id as string)
  await bursar.sql(`update orders set expires_at = created_at`)
  await bursar.sql(
    `insert into moving_schools (school_id, move_id, side, code, held_until)
     select id, 'move_1', 'leaving', code, clock_timestamp() + interval '1 hour' from institutes where code = 'demo-school'`,
  )
  const states = async (): Promise<string[]> => {
    await app.worker.runAllDue()
    const rows = await bursar.sql<{ id: string; state: string }>('select id, state from orders')
    return orders.map(id => rows.find(row => row.id === id)?.state ?? '')
  }
  assert.deepEqual(await states(), ['unpaid', 'expired'])
  // A move that was killed renews it no more.
  await bursar.sql('update moving_schools set held_until = clock_timestamp()')
  assert.deepEqual(await states(), ['expired', 'expired'])
})

test('a write of a school that is moving is told to come again, and no alarm is raised', async t => {
  const bursar = await startBursar(t)
  const { app, demo, group } = bursar
  await bursar.sql(
    `insert into moving_schools (school_id, move_id, side, code, fenced_until)
     select id, 'move_1', 'leaving', code, 'infinity' from institutes where code = 'demo-school'`,
  )
  const [school] = await bursar.sql<{ id: number }>(`select id from institutes where code = 'demo-school'`)
  for (const table of ['orders', 'messages'])
    await bursar.sql(
      `create trigger fence_write before insert or update on ${table} for each row when (new.institute_id = ${school?.id})
       execute function fence_school('raise', '${school?.id}')`,
    )
  const answer = await demo.post(`${PAY}/orders`, sampleOrder())
  assert.equal(answer.status, 503, answer.text)
  assert.equal(answer.headers.get('retry-after'), '2')
  assert.equal(answer.body.code, 'SYE00001')
  assert.equal((await group.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' }))).status, 201)

  // A batch with rows of several schools: those of the others are done.
  await bursar.sql('update moving_schools set fenced_until = null')
  await demo.post(`${PAY}/orders`, sampleOrder())
  await bursar.sql(`update orders set expires_at = created_at`)
  await bursar.sql(`update moving_schools set fenced_until = 'infinity'`)
  await assert.rejects(app.worker.runAllDue(), /is being moved/)
  const states = await bursar.sql('select institute_id = $1 as moving, state from orders order by 1', [
    school?.id,
  ])
  assert.deepEqual(states, [
    { moving: false, state: 'expired' },
    { moving: true, state: 'unpaid' },
  ])
  assert.equal(
    app.worker.statuses.reduce((sum, { failures }) => sum + failures, 0),
    0,
  )
  assert.doesNotMatch(bursar.logText(), /"level":"(warn|error|fatal)"/)
})
