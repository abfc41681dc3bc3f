import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { seedSchool } from '../../src/sandbox/seed/seed.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'

/** A made-up school on a machine that is too busy for many students at once. */
const bursar = await startBursar({ after })
const { ctx } = bursar.app
const institute = await getInstitute(ctx, 'demo-school')

/** The database gives up on statements that write more payments than this. */
async function limitPayments(most: number): Promise<void> {
  await bursar.sql(`create or replace function give_up() returns trigger language plpgsql as $$ begin
    if (select count(*) from added) > ${most} then raise exception 'canceling statement due to statement timeout'
      using errcode = '57014'; end if; return null; end $$`)
  await bursar.sql(`create or replace trigger give_up after insert on payments referencing new table as added
    for each statement execute function give_up()`)
}

test('a seed whose statements time out goes on with fewer students at once, says how far it is and leaves sound books', async () => {
  await limitPayments(150)
  const seen: number[] = []
  const seeded = await seedSchool(ctx, institute, 90, { onProgress: done => seen.push(done) })
  assert.deepEqual(seeded, { students: 90, payments: 900 })
  assert.equal(seen.at(-1), 90)
  assert.ok(seen.length >= 6, `told ${seen.length} times`)
  assert.deepEqual(
    seen,
    seen.toSorted((one, other) => one - other),
  )
  const counts = await bursar.sql(
    `select (select count(*) from students)::int as students, (select count(*) from payments)::int as payments,
       (select count(distinct identifier) from students)::int as identifiers`,
  )
  assert.deepEqual(counts, [{ students: 90, payments: 900, identifiers: 90 }])
  assert.deepEqual((await reconcile(ctx, institute)).differences, [])
})

test('a seed of which not even one student can be written says so, and what is there stays', async () => {
  await limitPayments(5)
  await assert.rejects(seedSchool(ctx, institute, 10), /briefly unavailable/)
  const [row] = await bursar.sql<{ count: number }>('select count(*)::int as count from students')
  assert.equal(row?.count, 90)
})
