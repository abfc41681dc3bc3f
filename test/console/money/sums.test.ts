import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { countWaiting } from '../../../src/console/sums/sums.store.ts'
import { readHome } from '../../../src/console/home/home.service.ts'
import { ageingQuery, countedDefaulters, defaultersQuery } from '../../../src/console/reports/dues.store.ts'
import { defaulterList } from '../../../src/console/reports/dues.list.ts'
import { readAgeing } from '../../../src/console/reports/dues.service.ts'
import { countChanges, repairSums } from '../../../src/console/sums/sums.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { FromScratch } from './from-scratch.ts'
import { daysAgo, makeStudent } from './support.ts'

const STUDENTS = 2_500
const bursar = await startBursar({ after })
const { demo, app } = bursar
const { ctx } = app
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
const school = await getInstitute(ctx, 'demo-school')
const truth = new FromScratch(bursar, school.id)
const first = await makeStudent(
  bursar,
  { identifier: 'SUM-0', grade: '1' },
  { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 400 }] },
)
await fill()

/** Copies of the first, in twelve classes. */
async function fill(): Promise<void> {
  const copies: Record<string, Record<string, string>> = {
    students: { id: `'student_' || n`, identifier: `'SUM-' || n`, grade: `(n % 12 + 1)::text` },
    fee_components: { student_id: `'student_' || n` },
    student_balances: { student_id: `'student_' || n` },
  }
  for (const [table, changes] of Object.entries(copies)) {
    const found = await sql<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
      [table],
    )
    const names = found.map(({ name }) => name)
    const values = names.map(name => changes[name] ?? name)
    await sql(
      `insert into ${table} (${names.join(', ')}) select ${values.join(', ')}
       from ${table} cross join generate_series(1, ${STUDENTS - 1}) as n
       where institute_id = $1 and ${table === 'students' ? 'id' : 'student_id'} = $2`,
      [school.id, first],
    )
  }
}

const today = (): string => dayOf(ctx.clock.now())
const differences = async (): Promise<string[]> =>
  (await reconcile(ctx, school)).differences.map(({ subject, detail }) => `${subject}: ${detail}`)

async function countAll(): Promise<void> {
  while ((await countChanges(ctx, { least: 1 })) > 0);
  assert.equal(await countWaiting(ctx.db, school.id), 0)
}

async function assertTrue(): Promise<void> {
  const { onTheWayPaise: _, ...home } = (await readHome(ctx, school)).outstanding
  assert.deepEqual(home, await truth.outstanding(today()))
}

/** Rows that a statement takes from tables and indexes. */
async function rowsRead({ text, values }: { text: string; values: readonly unknown[] }): Promise<number> {
  const [row] = await ctx.db.query<{ 'QUERY PLAN': Json }>(`explain (analyze, format json) ${text}`, values)
  const read = (node: Json): number => {
    const { 'Node Type': type, 'Actual Rows': rows, 'Actual Loops': loops, Plans: below = [] } = node
    const removed = node['Rows Removed by Filter'] ?? 0
    const own = /^(Seq|Index|Bitmap Heap).*Scan$/.test(type) ? (rows + removed) * loops : 0
    return below.reduce((sum: number, plan: Json) => sum + read(plan), own)
  }
  return read(row?.['QUERY PLAN'][0].Plan)
}

test('what is not counted yet is in every sum, and counting changes none of them', async () => {
  assert.ok((await countWaiting(ctx.db, school.id)) >= STUDENTS)
  await assertTrue()
  await countAll()
  await assertTrue()
  assert.deepEqual(await differences(), [])
})

test('the pages about dues read a few rows of sums, not the students', async () => {
  const list = defaultersQuery(school.id, today(), { bucket: 'no_due_day' }, { cursor: undefined, limit: 51 })
  const pages = {
    ageing: ageingQuery(school.id, today(), { by: 'grade' }),
    filtered: ageingQuery(school.id, today(), { by: 'component', grade: '5' }),
    count: countedDefaulters(school.id, today(), { bucket: 'no_due_day' }),
  }
  for (const [name, query] of Object.entries(pages))
    assert.ok((await rowsRead(query)) <= 30, `${name} read ${await rowsRead(query)} rows`)
  // Of each group at most as many as the page shows.
  assert.ok((await rowsRead(list)) <= 13 * 51 + 200, `the list read ${await rowsRead(list)} rows`)
  const { rows } = await defaulterList.page(ctx, school, { bucket: 'no_due_day' }, { limit: 50 })
  assert.equal(rows.length, 50)
})

test('an amount is late from midnight in India on, and a new due day holds at once: neither writes a sum', async () => {
  const setDay = async (due_date: string): Promise<void> => {
    const rules = { late_fees: [{ due_date, kind: 'none' }] }
    assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, rules)).status, 200)
  }
  const buckets = async (): Promise<number[]> => {
    const { total } = await readAgeing(ctx, school, { by: 'component' })
    return [total.notDuePaise, total.days30Paise, total.over90Paise, total.noDueDayPaise]
  }
  const all = STUDENTS * 40_000
  assert.deepEqual(await buckets(), [0, 0, 0, all])
  await setDay(today())
  assert.deepEqual(await buckets(), [all, 0, 0, 0])
  const midnight = new Date(`${daysAgo(-1)}T00:00:00+05:30`)
  await demo.post('/api/v1/sandbox/clock', { to: new Date(midnight.getTime() - 600_000).toISOString() })
  assert.deepEqual(await buckets(), [all, 0, 0, 0])
  await demo.post('/api/v1/sandbox/clock', { to: midnight.toISOString() })
  assert.deepEqual(await buckets(), [0, all, 0, 0])
  assert.equal((await readHome(ctx, school)).outstanding.overdueStudents, STUDENTS)
  await setDay(daysAgo(200))
  assert.deepEqual(await buckets(), [0, 0, all, 0])
  assert.equal(await countWaiting(ctx.db, school.id), 0)
})

test('a payment does not wait for whoever counts, and is in the sums at once', async () => {
  const { promise: isDone, resolve } = Promise.withResolvers<void>()
  const holding = ctx.db.transaction(async tx => {
    await tx.query('select from dues_groups where institute_id = $1 for update', [school.id])
    await tx.query('select from collected_days where institute_id = $1 for update', [school.id])
    await isDone
  })
  const body = {
    amount: 100,
    paid_at: today(),
    fee_components: [{ component_type: 'TUITION_FEE', amount: 100 }],
  }
  const paid = await demo.post(`${ERP}/students/${first}/payments`, body)
  assert.equal(paid.status, 201, paid.text)
  await assertTrue()
  const { collectedToday } = await readHome(ctx, school)
  assert.deepEqual(collectedToday, await truth.collected(today()))
  assert.equal(collectedToday.amountPaise, 10_000)
  resolve()
  await holding
  await countAll()
  await assertTrue()
})

test('a sum that is not what students owe or paid is named by the reconciliation, and made anew when asked for', async () => {
  const [group] = await sql<{ id: string; grade: string }>(
    `update dues_groups set owed_paise = owed_paise + 1 where institute_id = 1 and grade = '7' returning group_id as id, grade`,
  )
  await sql(`update student_dues set owed_paise = '{7}' where student_id = 'student_12'`)
  await sql(`delete from student_dues where student_id = 'student_13'`)
  await sql(`update collected_days set amount_paise = amount_paise - 5 where day = $1`, [today()])
  const found = await differences()
  const owed = found.filter(one => one.startsWith('student_')).toSorted()
  assert.deepEqual(owed, [
    'student_12 TUITION_FEE: 7 owed and 0 planned instead of 40000 and 0 paise',
    'student_13 TUITION_FEE: 0 owed and 0 planned instead of 40000 and 0 paise',
  ])
  assert.ok(
    found.some(one => one.startsWith(`group ${group?.id} MAIN 2026 7 TUITION_FEE: `)),
    found.join(),
  )
  assert.ok(
    found.some(one => one.startsWith(`${today()}: 5 paise`)),
    found.join(),
  )
  const progress: number[] = []
  assert.equal(await repairSums(ctx, school.id, counted => progress.push(counted)), found.length)
  assert.ok(progress.length >= 3, 'it says how far it is')
  assert.deepEqual(
    progress,
    progress.toSorted((one, other) => one - other),
  )
  assert.equal(progress.at(-1), STUDENTS)
  assert.deepEqual(await differences(), [])
  await assertTrue()
  assert.equal(await repairSums(ctx, school.id), 0)
})

test('a rebuild that is killed loses nothing: the sums are right meanwhile, and a job ends it', async () => {
  await sql(`update dues_groups set children = children + 1 where institute_id = 1 and grade = '3'`)
  const killed = repairSums(ctx, school.id, () => {
    throw new Error('killed')
  })
  await assert.rejects(killed, /killed/)
  const left = await countWaiting(ctx.db, school.id)
  assert.ok(left > 0 && left < STUDENTS, `${left} are left`)
  await assertTrue()
  // In the middle of a batch: it waits for a group that somebody holds, and its connection is ended.
  const { promise: isDone, resolve } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const holding = ctx.db.transaction(async tx => {
    await tx.query('select from dues_groups where institute_id = $1 for update', [school.id])
    held()
    await isDone
  })
  await isHeld
  // From the beginning, as it may fail before the command that ends its connection is answered.
  const cutOff = assert.rejects(countChanges(ctx, { least: 1 }))
  const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%marks as materialized%'`
  await waitFor(async () => (await ctx.db.query(`select 1 ${waiting}`)).length === 1, 'it to wait')
  await ctx.db.query(`select pg_terminate_backend(pid) ${waiting}`)
  await cutOff
  resolve()
  await holding
  assert.equal(await countWaiting(ctx.db, school.id), left)
  await assertTrue()
  await countAll()
  await assertTrue()
  assert.deepEqual(await differences(), [])
})
