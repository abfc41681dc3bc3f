import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { seedSchool } from '../../src/sandbox/seed/seed.service.ts'
import { run } from '../cli/command-line.ts'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { API, assertAnswer, createPerson, demoVisitor } from './support.ts'

const bursar = await startBursar({ after })
const { demo, group } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
const { ctx } = bursar.app
const owner = await demoVisitor(bursar.url)
const viewer = await createPerson(bursar, {
  email: 'viewer@school.example',
  institute: 'demo-school',
  role: 'viewer',
})
const SCHOOL = `${API}/institutes/demo-school`
const STUDENTS = 600

const school = await getInstitute(ctx, 'demo-school')
await seedSchool(ctx, school, STUDENTS - 100)
await seedSchool(ctx, school, 100)

const COMMON =
  /console_sessions|console_memberships|from institutes|instance_settings|api_requests|schema_migrations/

type SentStatement = { text: string; values: readonly unknown[] }

/** What the database is asked meanwhile, by the requests of this file alone: no worker runs. */
async function listen(act: () => Promise<unknown>): Promise<SentStatement[]> {
  const asked: SentStatement[] = []
  const { db } = ctx
  const query = db.query.bind(db)
  db.query = (text, values) => {
    asked.push({ text, values: values ?? [] })
    return query(text, values)
  }
  try {
    await act()
  } finally {
    db.query = query
  }
  return asked
}

/** Tables that a statement has no index for. So few rows as here are quicker read whole: the planner is asked not to. */
async function readWhole({ text, values }: SentStatement): Promise<string[]> {
  const [row] = await ctx.db.transaction(async tx => {
    await tx.query('set local enable_seqscan = off')
    return tx.query<{ 'QUERY PLAN': Json }>(`explain (format json) ${text}`, [...values])
  })
  const found: string[] = []
  const walk = (node: Json): void => {
    if (node['Node Type'] === 'Seq Scan') found.push(node['Relation Name'])
    for (const child of node.Plans ?? []) walk(child)
  }
  walk(row?.['QUERY PLAN'][0].Plan)
  const big = await sql<{ relname: string }>(
    `select relname from pg_class where relname = any($1) and reltuples > 200`,
    [found],
  )
  return big.map(({ relname }) => relname)
}

test('a seeded school is whole: its money agrees with its books and with its bank', async () => {
  const [counts] = await sql<Json>(
    `select (select count(*) from students) as students, (select count(*) from payments) as payments,
       (select count(*) from users) as users`,
  )
  assert.deepEqual(counts, { students: STUDENTS, payments: STUDENTS * 10, users: STUDENTS * 0.8 })
  const { differences, expected } = await reconcile(bursar.app.ctx, school)
  assert.deepEqual([differences, expected], [[], []])
  const rows = (await viewer.get(`${SCHOOL}/students?limit=200&owing=no`)).body.data
  assert.ok(rows.length > 150 && rows.every((row: Json) => row.outstanding_amount === 0))
})

test('the first page, a filtered one and a search take fewer than five queries each, all along an index', async () => {
  for (const path of [
    '/students',
    '/students?status=active&collector_code=MAIN&grade=5',
    '/students?academic_year_start=2026',
    '/students?owing=yes',
    '/students?q=ka',
    '/students?q=priya%20sh&owing=yes',
    '/students?q=SEED-0001',
    '/search?q=ka',
    '/search?q=SEED-000123',
    '/search?q=SEEDN12',
    '/search?q=2026-27%2F000042',
  ]) {
    const asked = await listen(async () => assertAnswer(await viewer.get(SCHOOL + path), '200'))
    // Without who is there and where, by which every request of the console begins, and without the clock's watch.
    const own = asked.filter(({ text }) => !COMMON.test(text))
    assert.ok(
      own.length >= 1 && own.length < 5,
      `${path}: ${own.length} queries\n${own.map(({ text }) => text).join('\n')}`,
    )
    for (const query of own)
      assert.deepEqual(await readWhole(query), [], `${path} reads whole tables by\n${query.text}`)
  }
})

test('where hardly anybody owes, the first page finds those who do', async () => {
  const groupOwner = await demoVisitor(bursar.url, 'bursar@demo-group.example')
  await sql(
    `insert into students (institute_id, id, collector_code, identifier, grade, academic_year_start, academic_year_end,
       fullname, new_admission, primary_contact_name, primary_contact_number, primary_contact_email, created_at, updated_at)
     select i.id, 'student_paid_' || n, 'NORTH', 'PAID-' || n, '1', 2026, 2027, 'Aa ' || n, false, 'A', '9800000000',
       'a@example.in', now(), now()
     from institutes i, generate_series(1, 2005) n where i.code = 'demo-group'`,
  )
  await group.post(`${ERP}/users/owing/students`, {
    student: sampleStudent({ fullname: 'Zz Owing' }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 100 }],
  })
  const pages: string[][] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const path = `${API}/institutes/demo-group/students?owing=yes${cursor && `&cursor=${cursor}`}`
    const { body } = await groupOwner.get(path)
    pages.push(body.data.map((row: Json) => row.fullname))
    cursor = body.next_cursor
  }
  assert.deepEqual(pages, [['Zz Owing']])
})

const find = async (typed: string): Promise<Json> => {
  const answer = await viewer.get(`${SCHOOL}/search?q=${encodeURIComponent(typed)}`)
  assertAnswer(answer, '200')
  return answer.body.data
}

test('anything is found by its number: student, order, link, payment, receipt, UTR', async () => {
  const student = sampleStudent({ fullname: 'Zoravar Rao', identifier: 'ADM-1042' })
  const registered = await demo.post(`${ERP}/users/parent-1/students`, {
    student,
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 5_000 }],
    payments: [
      {
        amount: 10,
        paid_at: '2026-06-01',
        mode: 'neft',
        transaction_id: 'CHQ-778811',
        settlement_utr: 'UTRX000123456789',
        fee_components: [{ component_type: 'TUITION_FEE', amount: 10 }],
      },
    ],
  })
  const id = registered.body.data.service_student_id
  const order = (await demo.post(`${PAY}/orders`, sampleOrder({ identifier: 'ADM-1042' }))).body.data.order_id
  const link = (await demo.post(`${PAY}/payment_links`, sampleOrder())).body.data.order_id
  const paid = await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' })
  const paymentId = paid.body.data.payment_id
  const [payment] = await sql<{ transaction_id: string; receipt: string }>(
    `select p.transaction_id, r.financial_year || '/' || lpad(r.number::text, 6, '0') as receipt
     from payments p join receipts r on r.payment_id = p.id where p.id = $1`,
    [paymentId],
  )
  const [settlement] = await sql<{ utr: string; id: string }>('select id, utr from settlements limit 1')
  const plan = (await demo.post(`/api/v1/integrations/flex/students/${id}/plans`)).body.data.plan_id
  assert.deepEqual((await find('zorav ra')).students[0]?.service_student_id, id)
  assert.equal((await find(id)).students[0].fullname, 'Zoravar Rao')
  const both = await find('adm-1042')
  assert.deepEqual([both.students[0].service_student_id, both.orders[0].order_id], [id, order])
  assert.equal((await find(order)).orders[0].status, 'paid')
  assert.equal((await find(link)).orders[0].kind, 'link')
  assert.equal((await find(paymentId)).payments[0].order_id, order)
  assert.equal(
    (await find(payment?.transaction_id.slice(0, 9).toLowerCase() ?? '')).payments[0].payment_id,
    paymentId,
  )
  assert.equal((await find(payment?.receipt ?? '')).payments[0].payment_id, paymentId)
  assert.equal((await find('chq-7788')).payments[0].service_student_id, id)
  assert.equal((await find('UTRX0001')).utrs[0].service_student_id, id)
  assert.equal((await find(settlement?.utr ?? '')).utrs[0].id, settlement?.id)
  assert.equal((await find(plan)).plans[0].service_student_id, id)
})

async function registerYears(identifier: string, starts: readonly number[]): Promise<void> {
  for (const start of starts) {
    const academic_year_start = String(start)
    const academic_year_end = String(start + 1)
    const years = { academic_year_start, academic_year_end, grade: String(start - 2020) }
    const student = sampleStudent({ identifier, fullname: `Yashodhara ${identifier}`, ...years })
    assert.ok((await demo.post(`${ERP}/users/yash/students`, { student })).status < 300)
  }
}

test('a child with records of several years is found once, in the running year, else in the newest', async () => {
  await registerYears('YEARS-1', [2024, 2025, 2026, 2027])
  await registerYears('YEARS-2', [2023, 2024, 2025])
  const found: Json[] = (await find('yashodhara')).students
  assert.deepEqual(
    found.map(({ identifier, academic_year_start: start }) => [identifier, start]),
    [
      ['YEARS-1', 2026],
      ['YEARS-2', 2025],
    ],
  )
})

test('a request id finds what was done by it, for those who may read the audit log', async () => {
  const [{ id } = { id: '' }] = await sql<{ id: string }>(
    `select id from students where identifier = 'SEED-000004'`,
  )
  const dropped = { status: 'dropped', reason: 'Moved' }
  const done = await owner.post(`${SCHOOL}/students/${id}/status`, dropped)
  const path = `${SCHOOL}/search?q=${done.headers.get('x-request-id')}`
  assert.equal((await owner.get(path)).body.data.requests[0].about, id)
  assert.deepEqual((await viewer.get(path)).body.data.requests, [])
  const asked = (await bursar.demo.get('/api/v1/integrations/pay/orders')).headers.get('x-request-id')
  const look = async (): Promise<Json> =>
    (await viewer.get(`${SCHOOL}/search?q=${asked}`)).body.data.erp_requests[0]
  await waitFor(async () => (await look()) !== undefined, 'the log of requests')
  assert.deepEqual([(await look()).request_id, (await look()).status], [asked, 200])
})

test('an institute finds nothing of another’s', async () => {
  const groupOwner = await demoVisitor(bursar.url, 'bursar@demo-group.example')
  const [row] = await sql<Json>(
    `select s.id as student, s.identifier, o.id as order, p.id as payment, p.transaction_id, t.utr
     from students s join orders o on o.student_id = s.id join payments p on p.order_id = o.id
     join settlements t on t.id = p.settlement_id limit 1`,
  )
  const own = await group.post(`${ERP}/users/p/students`, {
    student: sampleStudent({ fullname: 'Kabir Rao' }),
  })
  assert.ok(own.status < 300, own.text)
  for (const typed of [...Object.values<string>(row), '2026-27/000001', '7000007919'])
    for (const [key, hits] of Object.entries<Json>(
      (await groupOwner.get(`${API}/institutes/demo-group/search?q=${encodeURIComponent(typed)}`)).body.data,
    ))
      assert.deepEqual(hits, [], `${typed} ${key}`)
  const { body } = await groupOwner.get(`${API}/institutes/demo-group/students?q=kab`)
  assert.deepEqual(
    body.data.map((one: Json) => one.fullname),
    ['Kabir Rao'],
  )
})

test('the command line seeds a sandbox and nothing else', async t => {
  const env = { DATABASE_URL: await cloneDatabase(t), MASTER_KEY: TEST_MASTER_KEY }
  const { code, out, err } = await run(env, 'seed', '--students', '3', '--institute', 'demo-group')
  assert.equal(code, 0, err)
  assert.equal(out, 'Added 3 students and 30 payments to demo-group.\n')
  assert.match((await run(env, 'seed', '--students', '0')).err, /whole number from 1 to 1000000/)
  const live = { ...env, BURSAR_MODE: 'live', PUBLIC_URL: 'https://fees.example.in' }
  const refused = await run(live, 'seed', '--students', '3')
  assert.equal(refused.code, 1)
})
