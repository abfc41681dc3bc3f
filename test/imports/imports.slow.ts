import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import {
  csv,
  feeRow,
  finish,
  getImport,
  importFile,
  IMPORTS,
  paymentRow,
  problemsOf,
  studentRow,
  upload,
} from './support.ts'

const bursar = await startBursar({ after })
const { demo, group } = bursar

async function readStudent(identifier: string): Promise<Json> {
  return (await demo.get(`${ERP}/students?identifier=${identifier}`)).body.data[0]
}

async function countEvents(): Promise<Json> {
  const rows = await bursar.sql<{ code: string; count: number }>(
    'select event_code as code, count(*)::int as count from events group by 1',
  )
  return Object.fromEntries(rows.map(row => [row.code, row.count]))
}

test('students, fees and payments come from three files, and the same files again change nothing', async () => {
  const students = csv([
    studentRow(),
    studentRow({ identifier: 'ADM-2', registration_id: 'parent-2', fullname: 'Mira "M" Rao,\nJr.' }),
  ])
  const first = await importFile(bursar, 'kind=students', students)
  assert.equal(first.state, 'done', JSON.stringify(first))
  assert.deepEqual(first.rows, { total: 2, good: 2, bad: 0, applied: 2, unchanged: 0 })
  assert.equal((await readStudent('ADM-2')).fullname, 'Mira "M" Rao,\nJr.')
  const fees = csv([
    feeRow({ discount_type: 'SIBLING', discount_amount: 1000 }),
    feeRow({ discount_type: 'STAFF', discount_amount: 500 }),
    feeRow({ component_type: 'TRANSPORT_FEE', fee_amount: '6,500.50' }),
  ])
  assert.equal((await importFile(bursar, 'kind=fees', fees)).rows.applied, 3)
  const payments = csv([paymentRow(), paymentRow({ component_type: 'TRANSPORT_FEE', amount: 500 })])
  assert.equal((await importFile(bursar, 'kind=payments', payments)).rows.applied, 2)
  const before = await readStudent('ADM-1042')
  assert.deepEqual(before.fee_summary, {
    total_fee: 66500.5,
    discount: 1500,
    paid: 20500,
    outstanding: 44500.5,
    on_the_way_amount: 0,
    advance: 0,
  })
  for (const [kind, file] of Object.entries({ students, fees, payments })) {
    const again = await importFile(bursar, `kind=${kind}`, file)
    assert.deepEqual([again.state, again.rows.applied, again.rows.bad], ['done', 0, 0], kind)
  }
  assert.deepEqual(await readStudent('ADM-1042'), before)
  assert.deepEqual(await countEvents(), { 'direct.payment.added': 1, 'masterdata.student.registered': 2 })
})

test('an import tells the events that the API tells, with the same content', async () => {
  await importFile(
    bursar,
    'kind=students',
    csv([studentRow({ identifier: 'EV-1', registration_id: 'parent-ev' })]),
  )
  await importFile(
    bursar,
    'kind=payments',
    csv([paymentRow({ identifier: 'EV-1', notes: 'at the counter' })]),
  )
  const { service_student_id: id } = await readStudent('EV-1')
  const { body } = await demo.get(`${ERP}/events?resource_id=${id}&order=oldest`)
  const [registered, added] = body.data.map((one: Json) => one.payload ?? one)
  assert.equal(body.data.length, 2)
  const text = JSON.stringify([registered, added])
  for (const part of [id, 'parent-ev', 'EV-1', '"code":"5"', 'at the counter', '"amount":20000'])
    assert.ok(text.includes(part), `${part} in ${text}`)
})

test('a file and a registration by the API are the same registration', async () => {
  const { registration_id: parent, ...student } = studentRow({ identifier: 'API-1' })
  const sent = { student: { ...student, academic_year_start: '2026' } }
  const answer = await demo.post(`${ERP}/users/${parent}/students`, sent)
  assert.equal(answer.status, 201, answer.text)
  const one = await importFile(bursar, 'kind=students', csv([studentRow({ identifier: 'API-1' })]))
  assert.deepEqual(one.rows, { total: 1, good: 1, bad: 0, applied: 0, unchanged: 1 })
  await importFile(
    bursar,
    'kind=students',
    csv([studentRow({ identifier: 'API-1', fullname: 'Kabir R. Rao' })]),
  )
  const after = await readStudent('API-1')
  assert.deepEqual(
    [after.service_student_id, after.fullname],
    [answer.body.data.service_student_id, 'Kabir R. Rao'],
  )
  const [change] = (await demo.get(`${ERP}/students/${after.service_student_id}/changes`)).body.data
  assert.deepEqual([change.source, change.changes[0].after], ['import', 'Kabir R. Rao'])
})

test('a student with two parents stands in two rows', async () => {
  const rows = ['mother', 'father'].map(registration_id =>
    studentRow({ identifier: 'TWO-1', registration_id }),
  )
  assert.equal((await importFile(bursar, 'kind=students', csv(rows))).rows.applied, 2)
  assert.deepEqual((await readStudent('TWO-1')).registration_ids.toSorted(), ['father', 'mother'])
  assert.equal((await importFile(bursar, 'kind=students', csv(rows))).rows.unchanged, 2)
})

test('with mode all one bad row keeps the whole file out, until the good rows are asked for', async () => {
  const file = csv([
    studentRow({ identifier: 'ALL-1' }),
    studentRow({ identifier: 'ALL-2', date_of_birth: '31/02/2015' }),
    studentRow({ identifier: 'ALL-3' }),
  ])
  const one = await importFile(bursar, 'kind=students&mode=all', file)
  assert.equal(one.state, 'checked')
  assert.match(one.message, /^1 of 3 rows is bad, so nothing was applied/)
  assert.deepEqual(one.rows, { total: 3, good: 2, bad: 1, applied: 0, unchanged: 0 })
  assert.equal(await readStudent('ALL-1'), undefined)
  assert.equal((await demo.post(`${IMPORTS}/${one.id}/apply`, { mode: 'all' })).status, 409)
  const asked = await demo.post(`${IMPORTS}/${one.id}/apply`, { mode: 'good' })
  assert.deepEqual([asked.status, asked.body.data.state], [200, 'running'])
  await finish(bursar, one.id)
  const done = await getImport(demo, one.id)
  assert.deepEqual([done.state, done.rows.applied, done.rows.bad], ['done', 2, 1])
  assert.equal((await readStudent('ALL-3')).identifier, 'ALL-3')
  assert.equal((await demo.post(`${IMPORTS}/${one.id}/apply`, { mode: 'good' })).status, 409)
})

test('with mode good the good rows are applied and the bad ones reported', async () => {
  const file = csv([studentRow({ identifier: 'GOOD-1' }), studentRow({ identifier: 'GOOD-2', grade: '' })])
  const one = await importFile(bursar, 'kind=students&mode=good', file)
  assert.deepEqual([one.state, one.rows.applied, one.rows.bad], ['done', 1, 1])
  assert.deepEqual(await problemsOf(demo, one.id), ['3 grade is required'])
})

test('a dry run applies nothing, and what it checked can be applied or cancelled', async () => {
  const file = csv([studentRow({ identifier: 'DRY-1' })])
  const [kept, dropped] = [
    await importFile(bursar, 'kind=students&dry_run=true', file),
    await importFile(bursar, 'kind=students&dry_run=true', file),
  ]
  assert.deepEqual([kept.state, kept.rows.good, kept.rows.applied], ['checked', 1, 0])
  assert.equal(await readStudent('DRY-1'), undefined)
  assert.equal((await demo.delete(`${IMPORTS}/${dropped.id}`)).body.data.state, 'cancelled')
  assert.equal((await demo.delete(`${IMPORTS}/${dropped.id}`)).status, 409)
  await demo.post(`${IMPORTS}/${kept.id}/apply`, { mode: 'all' })
  await finish(bursar, kept.id)
  assert.equal((await getImport(demo, kept.id)).rows.applied, 1)
})

test('a row that turned bad since the check keeps all of the file out', async () => {
  const file = csv([studentRow({ identifier: 'TURN-1' }), studentRow({ identifier: 'TURN-2' })])
  const one = await importFile(bursar, 'kind=students&dry_run=true', file)
  const { registration_id: _, ...other } = studentRow({
    identifier: 'TURN-2',
    fullname: 'Somebody Else',
    date_of_birth: '2012-01-01',
  })
  const sent = { student: { ...other, academic_year_start: '2026' } }
  assert.equal((await demo.post(`${ERP}/users/p/students`, sent)).status, 201)
  await demo.post(`${IMPORTS}/${one.id}/apply`, { mode: 'all' })
  await finish(bursar, one.id)
  const back = await getImport(demo, one.id)
  assert.deepEqual([back.state, back.rows.bad, back.rows.applied], ['checked', 1, 0])
  assert.equal(await readStudent('TURN-1'), undefined)
  await demo.post(`${IMPORTS}/${one.id}/apply`, { mode: 'good' })
  await finish(bursar, one.id)
  assert.deepEqual((await getImport(demo, one.id)).rows, {
    total: 2,
    good: 1,
    bad: 1,
    applied: 1,
    unchanged: 0,
  })
})

test('processes that work on one import at once apply it once', async () => {
  const file = csv(
    Array.from({ length: 300 }, (_, index) =>
      studentRow({ identifier: `ONCE-${index}`, registration_id: `once-${index}` }),
    ),
  )
  for (const mode of ['good', 'all']) {
    const { body } = await upload(demo, `kind=students&mode=${mode}`, file)
    await Promise.all([
      finish(bursar, body.data.id),
      finish(bursar, body.data.id),
      finish(bursar, body.data.id),
    ])
    const one = await getImport(demo, body.data.id)
    assert.deepEqual([one.state, one.rows.applied + one.rows.unchanged], ['done', 300])
  }
  const [row] = await bursar.sql<{ students: number; events: number }>(
    `select count(distinct s.id)::int as students, count(e.id)::int as events from students s
     join events e on e.resource_id = s.id where s.identifier like 'ONCE-%'`,
  )
  assert.deepEqual(row, { students: 300, events: 300 })
})

test('rows of one student are taken together wherever they stand in the file', async () => {
  await importFile(
    bursar,
    'kind=students',
    csv([studentRow({ identifier: 'FAR-1' }), studentRow({ identifier: 'FAR-2' })]),
  )
  const file = csv([
    paymentRow({ identifier: 'FAR-1' }),
    paymentRow({ identifier: 'FAR-2' }),
    paymentRow({ identifier: 'FAR-1', component_type: 'BUS_FEE', amount: 250 }),
  ])
  assert.equal((await importFile(bursar, 'kind=payments', file)).rows.applied, 3)
  assert.equal((await readStudent('FAR-1')).fee_summary.paid, 20250)
})

test('imports are listed newest first and by kind and state, and problems by page', async () => {
  const rows = Array.from({ length: 5 }, (_, index) => studentRow({ identifier: `PAGE-${index}`, grade: '' }))
  await importFile(bursar, 'kind=students', csv(rows))
  const one = await importFile(bursar, 'kind=students', csv(rows))
  const { body } = await demo.get(`${IMPORTS}?kind=students&state=checked&limit=1`)
  assert.deepEqual([body.data[0].id, body.has_more], [one.id, true])
  const next = await demo.get(`${IMPORTS}?kind=students&state=checked&limit=1&cursor=${body.next_cursor}`)
  assert.ok(next.body.data[0].id < one.id)
  const seen: number[] = []
  for (let cursor = ''; ;) {
    const page = await demo.get(`${IMPORTS}/${one.id}/problems?limit=2${cursor}`)
    seen.push(...page.body.data.map((problem: Json) => problem.row))
    if (!page.body.has_more) break
    cursor = `&cursor=${page.body.next_cursor}`
  }
  assert.deepEqual(seen, [2, 3, 4, 5, 6])
  assert.equal((await demo.get(`${IMPORTS}/${one.id}/problems?cursor=x`)).status, 400)
})

test('file and rows are forgotten when an import is over, and one that nobody decided on is cancelled', async () => {
  const done = await importFile(bursar, 'kind=students', csv([studentRow({ identifier: 'KEEP-1' })]))
  const waiting = await importFile(
    bursar,
    'kind=students&dry_run=true',
    csv([studentRow({ identifier: 'KEEP-2' })]),
  )
  const left = async (id: string): Promise<number> => {
    const rows = await bursar.sql(
      `select 1 from import_files where import_id = $1 union all select 1 from import_rows where import_id = $1`,
      [id],
    )
    return rows.length
  }
  assert.deepEqual([await left(done.id), await left(waiting.id)], [2, 2])
  await demo.post('/api/v1/sandbox/clock', { advance: 'P8D' })
  await bursar.app.worker.runAllDue('purge')
  assert.equal((await getImport(demo, waiting.id)).state, 'cancelled')
  assert.deepEqual([await left(done.id), await left(waiting.id)], [0, 0])
})

test('a branch is found by its code, and asked for when it is not certain', async () => {
  const options = { client: group, institute: 'demo-group' }
  const rows = ['NORTH', 'SOUTH'].map(collector_code =>
    studentRow({ identifier: 'BR-1', collector_code, registration_id: `of-${collector_code}` }),
  )
  assert.equal((await importFile(bursar, 'kind=students', csv(rows), options)).rows.applied, 2)
  const south = studentRow({ identifier: 'BR-2', collector_code: 'SOUTH' })
  await importFile(bursar, 'kind=students', csv([south]), options)
  const fees = csv([
    { ...feeRow({ identifier: 'BR-1' }), collector_code: 'SOUTH' },
    { ...feeRow({ identifier: 'BR-1' }), collector_code: '' },
    { ...feeRow({ identifier: 'BR-2' }), collector_code: '' },
    { ...feeRow({ identifier: 'BR-2', component_type: 'BUS' }), collector_code: 'SOUTH' },
    { ...feeRow({ identifier: 'BR-1' }), collector_code: 'WEST' },
  ])
  const one = await importFile(bursar, 'kind=fees&mode=good', fees, options)
  assert.deepEqual(await problemsOf(group, one.id), [
    '5 collector_code makes this the student of row 4, which is named otherwise there; name it the same way in both',
    '6 collector_code is not a branch of this institute; its branches are: NORTH, SOUTH',
  ])
  assert.equal(one.rows.applied, 3)
})
