import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isHere } from '../../src/platform/db/query.ts'
import { Analysis } from '../../tools/tenancy/analysis.ts'
import { problemsOf } from '../../tools/tenancy/check.ts'
import { OVER_ALL } from '../../tools/tenancy/over-all.ts'
import { readSchema } from '../../tools/tenancy/schema.ts'

const schema = await readSchema()

test('tables of institutes are those whose key begins with the institute, as the schema says', () => {
  for (const name of ['orders', 'erp_settings', 'payment_rules', 'student_balances', 'bank_expected'])
    assert.ok(schema.tenants.has(name), name)
  for (const name of ['institutes', 'api_keys', 'lenders', 'console_users', 'holidays'])
    assert.ok(!schema.tenants.has(name), name)
})

test('views join the tables of institutes by institute_id', () => {
  assert.ok(schema.views.size >= 5)
  for (const [name, select] of schema.views) {
    const analysis = new Analysis(schema)
    analysis.select(select, null, null)
    for (const level of analysis.levels)
      for (const use of level.uses)
        assert.equal(use.institute.root, level.uses[0]?.institute.root, `${name}: ${use.label}`)
  }
})

const overAll = (text: string): string => problemsOf(text, schema, 'every').join('; ')

/** In a process of its own. */
const run = (text: string, ...allowed: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'planted-statement.ts'), text, ...allowed], {
    encoding: 'utf8',
  })

const OFFENCES: Record<string, RegExp> = {
  'select * from orders where id = $1': /orders is read without institute_id/,
  'select * from orders where institute_id = $1 or id = $2': /orders is read/,
  'select 1 from orders o join order_lines l on l.order_id = o.id where o.institute_id = $1': /order_lines l/,
  'select 1 from orders o, order_lines l where l.order_id = o.id and o.institute_id = $1': /order_lines l/,
  'select 1 from orders o join order_lines l using (id) where o.institute_id = $1': /order_lines l/,
  'select 1 from orders o where o.institute_id = $1 and exists (select from payments p where p.order_id = o.id)':
    /payments p/,
  'select (select sum(amount_paise) from order_lines l where l.order_id = o.id) from orders o where o.institute_id = $1':
    /order_lines l/,
  'select 1 from orders o cross join lateral (select * from payments p where p.order_id = o.id) p where o.institute_id = $1':
    /payments p/,
  'with o as (select id from orders where institute_id = $1) select 1 from o join payments p on p.order_id = o.id':
    /payments p/,
  'select 1 from orders where institute_id = $1 and id in (select order_id from payments)': /payments/,
  'select 1 from orders o join payments p on p.order_id = o.id where o.institute_id = $1 and p.institute_id = $2':
    /meet without/,
  'select institute_id from orders where institute_id = $1 union all select institute_id from payments':
    /payments/,
  'select 1 from student_paid_lines where student_id = $1': /student_paid_lines/,
  'update orders set state = $2 where id = $1': /orders is written without/,
  'update orders o set state = $2 from payments p where p.institute_id = $1 and o.id = p.order_id':
    /orders o/,
  'delete from order_lines where order_id = $1': /order_lines is written/,
  'delete from order_lines l using orders o where o.institute_id = $1 and l.order_id = o.id': /order_lines l/,
  'insert into receipt_counters (financial_year, last_number) values ($1, $2)': /without institute_id among/,
  'insert into receipt_counters select * from receipt_counters where institute_id = $1':
    /among the named columns/,
  'insert into orders (institute_id, id) select $1, p.order_id from payments p': /payments p/,
  'with gone as (delete from payments where id = $2 returning *) select * from orders where institute_id = $1':
    /payments/,
  'select 1 from orders o join unnest($1::int[]) as a (institute_id) using (institute_id) for update of o':
    /locked without institute_id = \$n/,
}

const FINE = [
  `select k.id, (select count(*) from orders o where o.institute_id = $1 and o.id = k.id)
     from unnest($2::text[]) as k (id) left join payments p on p.institute_id = $1 and p.order_id = k.id`,
  `select k.id, (select count(*) from order_lines l where l.institute_id = o.institute_id and l.order_id = o.id)
     from unnest($1::int[], $2::text[]) as k (institute_id, id) join orders o on o.institute_id = k.institute_id and o.id = k.id`,
  'select * from orders where institute_id = $1 and (state = $2 or id = $3)',
  'select 1 from orders o join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id where o.institute_id = $1',
  'select 1 from orders o join order_lines l using (institute_id) where o.institute_id = $1',
  'select 1 from orders o, payments p where (p.institute_id, p.order_id) = (o.institute_id, o.id) and o.institute_id = $1::int',
  `select 1 from orders o join institutes i on i.id = o.institute_id where o.institute_id = $1 and not exists (
     select from payments p where p.institute_id = o.institute_id and p.order_id = o.id)`,
  `with recursive n as (select institute_id, id from orders where institute_id = $1 union all
     select o.institute_id, o.id from n join orders o on o.institute_id = n.institute_id and o.id > n.id) select * from n`,
  'select 1 from orders where (institute_id, id) in (select * from unnest($1::int[], $2::text[]))',
  `with gone as (delete from payments where institute_id = $1 returning *)
     insert into orders (institute_id, id) select institute_id, order_id from gone`,
  `insert into receipt_counters as c (institute_id, financial_year, last_number) values ($1, $2, 1)
     on conflict (institute_id, financial_year) do update set last_number = c.last_number + 1 returning last_number`,
  'update orders o set state = r.state from unnest($1::int[], $2::text[]) as r (institute_id, state) where o.institute_id = r.institute_id',
  'select count(*) from institutes',
]

test('a statement that reads, joins, writes or locks rows without saying of which institute is refused', () => {
  for (const [text, expected] of Object.entries(OFFENCES))
    assert.match(problemsOf(text, schema).join('; '), expected, text)
  for (const text of FINE) assert.deepEqual(problemsOf(text, schema), [], text)
})

test('a read over all institutes may leave out whose rows it wants, but neither a join nor a lock', () => {
  assert.equal(overAll('select min(expires_at) from orders'), '')
  assert.equal(overAll('select (select count(*) from orders), (select count(*) from payments)'), '')
  assert.match(overAll('select 1 from orders o join payments p on p.order_id = o.id'), /meet without/)
  assert.match(
    overAll('select 1 from orders o where exists (select from payments p where p.order_id = o.id)'),
    /meet/,
  )
  assert.match(overAll('select 1 from orders for update skip locked'), /locked without/)
  assert.match(overAll('update orders set state = $1'), /written without/)
})

test('what locks due rows of several institutes together still names and joins them by institute_id', () => {
  const ofSeveral = (text: string): string => problemsOf(text, schema, 'several, locked').join('; ')
  const lock = 'for update of o skip locked'
  const pairs = '(o.institute_id, o.id) in (select * from unnest($1::int[], $2::text[]))'
  assert.equal(ofSeveral(`select 1 from orders o where ${pairs} ${lock}`), '')
  assert.match(
    problemsOf(`select 1 from orders o where ${pairs} ${lock}`, schema).join('; '),
    /locked without/,
  )
  assert.match(ofSeveral(`select 1 from orders o where o.id = any($2) ${lock}`), /locked without/)
  assert.match(
    ofSeveral(`select 1 from orders o join payments p on p.order_id = o.id where ${pairs} ${lock}`),
    /meet without/,
  )
})

test('a store that sends such a statement fails the test in which it does', () => {
  const [good, bad] = [run('select id from orders where institute_id = 1'), run('select id from orders')]
  assert.deepEqual([good.status, good.stdout.trim()], [0, 'sent by planted'], good.stderr)
  assert.equal(bad.status, 1)
  assert.match(bad.stderr, /orders\/planted\.store\.ts planted: orders is read without institute_id/)
  // What one function may send is not allowed to all others for that.
  const second = run('select id from orders', 'console/operator/jobs.store.ts readJobs')
  assert.deepEqual([second.status, second.stdout.trim()], [1, 'sent by readJobs'])
  assert.match(second.stderr, /orders\/planted\.store\.ts planted: orders is read without institute_id/)
})

test('a statement that looks for work over all schools and forgets those that move fails the test that sends it', () => {
  const text = 'select min(expires_at) from orders where true'
  const [good, bad] = [`${text} and ${isHere()}`, text].map(one =>
    run(one, 'orders/orders.store.ts firstExpiry'),
  )
  assert.match(good?.stdout ?? '', /sent by firstExpiry/)
  assert.match(bad?.stderr ?? '', /firstExpiry: it takes work of schools that are on their way/)
})

test('every function that may go over several institutes exists', () => {
  const senders = OVER_ALL.flatMap(group => group.senders)
  assert.deepEqual(senders, [...new Set(senders)])
  for (const sender of senders) {
    const [file = '', name = ''] = sender.split(' ')
    const path = join('src', file)
    assert.ok(existsSync(path), path)
    assert.match(readFileSync(path, 'utf8'), new RegExp(String.raw`\b${name}[<(]`), sender)
  }
})
