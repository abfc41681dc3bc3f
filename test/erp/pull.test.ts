import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pullStudents } from '../../src/erp/pull/pull.service.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { ERP } from '../harness/samples.ts'
import { fetchesOf, instituteId, pull, registerStudent, setErp } from '../students/support.ts'

/** What a pulled record does to a student. */
const bursar = await startBursar({ after })
const { demo } = bursar
const sql: TestBursar['sql'] = (text, values) => bursar.sql(text, values)
const erp = await startFakeErp({ after })

let count = 0
function unique(): string {
  count += 1
  return `PULL-${count}`
}

async function feesOf(id: string): Promise<Json> {
  return (await demo.get(`${ERP}/students/${id}/fee`)).body.data
}

async function studentOf(id: string): Promise<Json> {
  return (await demo.get(`${ERP}/students/${id}`)).body.data
}

test('without a fetch URL nothing is asked and nothing is logged', async () => {
  const id = await registerStudent(demo, { identifier: unique() })
  assert.deepEqual(await pull(bursar, id), { kind: 'not_configured' })
  assert.deepEqual(await fetchesOf(demo, id), [])
  await setErp(demo, erp)
})

test('a record that says what is stored changes nothing, and the log says so', async () => {
  const identifier = unique()
  const id = await registerStudent(demo, { identifier })
  const before = await studentOf(id)
  erp.put(sampleRecord({ identifier }))
  const pulled = await pull(bursar, id, 'reminder')
  assert.ok(pulled.kind === 'found')
  assert.deepEqual(pulled.changes, [])
  assert.deepEqual(await studentOf(id), before)
  const [entry, ...others] = await fetchesOf(demo, id)
  assert.deepEqual(others, [])
  assert.equal(entry.id, pulled.fetchId)
  assert.deepEqual([entry.reason, entry.outcome, entry.http_status], ['reminder', 'found', 200])
  assert.deepEqual([entry.changes, entry.problems], [[], []])
})

test('profile and grade of the same student follow the ERP, and the log shows before and after', async () => {
  const identifier = unique()
  const id = await registerStudent(demo, { identifier, custom_identifier: 'C-1' })
  const moved = { grade: '6', fullname: 'Kabir S. Rao' }
  erp.put(
    sampleRecord({ identifier, ...moved, date_of_birth: null, primary_contact_number: '+91 90000 00001' }),
  )
  const pulled = await pull(bursar, id)
  const expected = [
    { field: 'grade', before: '5', after: '6' },
    { field: 'fullname', before: 'Kabir Rao', after: 'Kabir S. Rao' },
    { field: 'primary_contact_number', before: '9876543210', after: '+91 90000 00001' },
  ]
  assert.ok(pulled.kind === 'found')
  assert.deepEqual(pulled.changes, expected)
  const student = await studentOf(id)
  assert.equal(student.grade, '6')
  assert.equal(student.fullname, 'Kabir S. Rao')
  assert.equal(student.date_of_birth, '2015-06-20', 'not sent, so it stays')
  assert.equal(student.custom_identifier, 'C-1', 'no part of the record, so it stays')
  assert.deepEqual((await fetchesOf(demo, id))[0].changes, expected)
  const again = await pull(bursar, id)
  assert.ok(again.kind === 'found' && again.changes.length === 0)
})

test('a pulled amount replaces fee and discounts, and a component not sent any more costs nothing', async () => {
  const identifier = unique()
  const id = await registerStudent(
    demo,
    { identifier },
    {
      fee_components: [
        {
          component_type: 'TUITION_FEE',
          fee_amount: 60000,
          discounts: [{ discount_type: 'MERIT', value: 5000 }],
        },
        { component_type: 'TRANSPORT_FEE', fee_amount: 12000 },
      ],
      payments: [
        {
          amount: 20000,
          paid_at: '2026-06-01',
          mode: 'cash',
          transaction_id: 'C-1',
          fee_components: [{ component_type: 'TUITION_FEE', amount: 20000 }],
        },
      ],
    },
  )
  const fee_components = [
    { component_type: 'TUITION_FEE', fee_amount: '52500.50' },
    { component_type: 'LAB_FEE', fee_amount: 1500 },
  ]
  erp.put(sampleRecord({ identifier }, { fee_components }))
  const pulled = await pull(bursar, id)
  assert.ok(pulled.kind === 'found')
  assert.deepEqual(pulled.changes, [
    { field: 'fee_components.TUITION_FEE.fee_amount', before: 60000, after: 52500.5 },
    { field: 'fee_components.TUITION_FEE.discounts', before: 5000, after: 0 },
    { field: 'fee_components.LAB_FEE.fee_amount', before: null, after: 1500 },
    { field: 'fee_components.TRANSPORT_FEE.fee_amount', before: 12000, after: 0 },
  ])
  const { fee_summary: summary, fee_components: fees } = await feesOf(id)
  assert.deepEqual([summary.total_fee, summary.discount, summary.outstanding], [54000.5, 0, 34000.5])
  const byType = Object.fromEntries(fees.map((fee: Json) => [fee.component_type, fee]))
  assert.deepEqual(
    Object.values<Json>(byType).map(fee => [fee.component_type, fee.history[0].source, fee.history[0].note]),
    [
      ['TUITION_FEE', 'pull', 'discounts are part of the total that the ERP sent'],
      ['TRANSPORT_FEE', 'pull', 'no longer sent by the ERP'],
      ['LAB_FEE', 'pull', undefined],
    ],
  )
  const known = await sql("select 1 from catalogue_entries where kind = 'component' and code = 'LAB_FEE'")
  assert.equal(known.length, 1, 'a new component joins the catalogue')
})

test('a grade that another student holds under this identifier is a data_error, and nothing changes', async () => {
  const identifier = unique()
  const id = await registerStudent(demo, { identifier })
  await registerStudent(demo, { identifier, grade: '6' })
  const before = await studentOf(id)
  erp.put(sampleRecord({ identifier, grade: '6', fullname: 'Someone New' }, { fee_components: [] }))
  const pulled = await pull(bursar, id)
  assert.ok(pulled.kind === 'refused')
  assert.deepEqual([pulled.code, pulled.actsAs], ['data_error', 'data_error'])
  assert.match(pulled.message, new RegExp(`another student.*${identifier} in grade 6 of 2026-2027`))
  assert.deepEqual(await studentOf(id), before)
  const [entry] = await fetchesOf(demo, id)
  assert.deepEqual([entry.outcome, entry.code, entry.http_status], ['refused', 'data_error', 200])
})

test('in a strict institute a component outside the catalogue is a data_error that names it', async () => {
  const identifier = unique()
  const id = await registerStudent(demo, { identifier })
  await sql(`update institutes set strict_catalogue = true where code = 'demo-school'`)
  const fee_components = [{ component_type: 'SURPRISE_FEE', fee_amount: 1 }]
  erp.put(sampleRecord({ identifier }, { fee_components }))
  const pulled = await pull(bursar, id)
  await sql(`update institutes set strict_catalogue = false where code = 'demo-school'`)
  assert.ok(pulled.kind === 'refused' && pulled.actsAs === 'data_error')
  assert.match(pulled.message, /data\.fee_components\.0\.component_type is not in the catalogue/)
  assert.equal((await feesOf(id)).fee_summary.total_fee, 60000)
})

test('a refusal of the ERP is passed on as it is, and an unknown code acts as data_error', async () => {
  const identifier = unique()
  const id = await registerStudent(demo, { identifier })
  erp.refuse(identifier, 'student_discontinued', 'Kabir left the school in May.')
  const known = await pull(bursar, id)
  assert.ok(known.kind === 'refused')
  assert.deepEqual(
    [known.code, known.actsAs, known.message],
    ['student_discontinued', 'student_discontinued', 'Kabir left the school in May.'],
  )
  erp.refuse(identifier, 'fees_frozen', 'Please see the office.')
  const unknown = await pull(bursar, id)
  assert.ok(unknown.kind === 'refused')
  assert.deepEqual([unknown.code, unknown.actsAs], ['fees_frozen', 'data_error'])
  const [entry] = await fetchesOf(demo, id)
  assert.deepEqual(
    [entry.code, entry.message, entry.http_status],
    ['fees_frozen', 'Please see the office.', 422],
  )
})

test('many at once: results in the order asked, changed students written, one log row each', async () => {
  const instituteOfDemo = await instituteId(bursar)
  await setErp(demo, erp, { max_calls: 8 })
  const identifiers = Array.from({ length: 40 }, unique)
  const ids: string[] = []
  for (const identifier of identifiers) ids.push(await registerStudent(demo, { identifier }))
  for (const [index, identifier] of identifiers.entries()) {
    if (index % 4 === 0) erp.refuse(identifier, 'student_not_found', 'Unknown.')
    else erp.put(sampleRecord({ identifier, grade: index % 4 === 1 ? '7' : '5' }))
  }
  const pulled = await pullStudents(
    bursar.app.ctx,
    ids.map(studentId => ({ instituteId: instituteOfDemo, studentId, reason: 'presentation' as const })),
  )
  const words = pulled.map(one => (one.kind === 'found' ? `found ${one.changes.length}` : one.kind))
  const expected = ['refused', 'found 1', 'found 0', 'found 0']
  assert.deepEqual(
    words,
    identifiers.map((_, index) => expected[index % 4]),
  )
  const rows = await sql<{ student_id: string; id: string }>(
    'select student_id, id from erp_fetches where student_id = any($1)',
    [ids],
  )
  const fetchIds = pulled.map(one => (one.kind === 'not_configured' ? '' : one.fetchId))
  assert.deepEqual(
    new Set(rows.map(row => `${row.student_id} ${row.id}`)),
    new Set(ids.map((id, at) => `${id} ${fetchIds[at]}`)),
  )
  assert.equal((await studentOf(ids[1] ?? '')).grade, '7')
})

test('a fee pushed while the ERP is asked is what the answer is compared with', async () => {
  const identifier = unique()
  const id = await registerStudent(demo, { identifier })
  erp.put(sampleRecord({ identifier }))
  const { promise, resolve } = Promise.withResolvers<null>()
  const asked = erp.requests.length
  erp.disturb(() => promise)
  const pulling = pull(bursar, id)
  await erp.waitForRequests(asked + 1)
  await demo.patch(`${ERP}/students/${id}/fee`, {
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1 }],
  })
  erp.disturb(null)
  resolve(null)
  const pulled = await pulling
  assert.ok(pulled.kind === 'found')
  assert.deepEqual(pulled.changes, [
    { field: 'fee_components.TUITION_FEE.fee_amount', before: 1, after: 60000 },
  ])
  assert.equal((await feesOf(id)).fee_summary.total_fee, 60000)
})

test('recorded fetches cannot be altered', async () => {
  await assert.rejects(sql(`update erp_fetches set reason = 'test'`), /append-only/)
  await assert.rejects(sql('delete from erp_fetches'), /append-only/)
  await assert.rejects(sql('truncate erp_fetches'), /append-only/)
})
