import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pullStudent, type Pulled } from '../../src/erp/pull/pull.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { ERP } from '../harness/samples.ts'
import { instituteId, pull, registerStudent, setErp } from '../students/support.ts'

/** What the settings of an institute make of a pull. */
const bursar = await startBursar({ after })
const { demo, group } = bursar
const erp = await startFakeErp({ after })

test('the lookup option says which parameters are sent, and the settings how we authenticate', async t => {
  const own = await startFakeErp(t, { username: 'bursar', password: 'pa ss:wörd' })
  const identifier = 'A&B/ 1?é'
  const id = await registerStudent(demo, { identifier, custom_identifier: 'C 2' })
  own.put(sampleRecord({ identifier }))
  const lookup = ['academic_year_end', 'identifier', 'grade', 'custom_identifier', 'collector_code', 'grade']
  const basic = { username: 'bursar', password: 'pa ss:wörd', lookup }
  await setErp(demo, { url: `${own.url}?tenant=7#x` }, basic)
  assert.equal((await pull(bursar, id)).kind, 'found')
  const query = 'identifier=A%26B%2F%201%3F%C3%A9&grade=5&custom_identifier=C%202&collector_code=MAIN'
  assert.equal(own.requests[0]?.path, `/fetch-student?tenant=7&${query}&academic_year_end=2027`)
  assert.equal(own.requests[0]?.method, 'GET')
  await setErp(demo, own, { header: { name: 'X-Api-Key', value: 'key-1' } })
  await pull(bursar, id)
  assert.equal(own.requests[1]?.headers['x-api-key'], 'key-1')
  assert.equal(own.requests[1]?.headers.authorization, undefined)
  assert.equal(own.requests[1]?.path, '/fetch-student?identifier=A%26B%2F%201%3F%C3%A9')
  await setErp(demo, erp)
})

test('with the custom schedule on, the schedule comes back and its absence is unavailable', async t => {
  const identifier = 'PULL-1'
  const id = await registerStudent(demo, { identifier })
  await setErp(demo, erp, { custom_schedule: true })
  t.after(() => setErp(demo, erp))
  erp.put(sampleRecord({ identifier }))
  const without = await pull(bursar, id)
  assert.ok(without.kind === 'unavailable')
  assert.deepEqual(without.problems, [{ key: 'data.payment_schedule', message: 'is required' }])
  const details = [{ component_type: 'TUITION_FEE', amount: '30000' }]
  const payment_schedule = [
    { due_date: '2026-12-05', details, is_downpayment: true },
    { due_date: '2027-01-05', reference_id: 'R-2', identifier: '', details },
  ]
  const user = { name: 'Asha Rao', phone: '98765 43210' }
  erp.put(sampleRecord({ identifier }, { payment_schedule, user }))
  const pulled = await pull(bursar, id)
  assert.ok(pulled.kind === 'found' && pulled.isCustomSchedule)
  const lines = [{ componentType: 'TUITION_FEE', amountPaise: 3_000_000 }]
  assert.deepEqual(pulled.paymentSchedule, [
    { dueDate: '2026-12-05', referenceId: null, identifier: null, isDownpayment: true, details: lines },
    { dueDate: '2027-01-05', referenceId: 'R-2', identifier: null, isDownpayment: false, details: lines },
  ])
  assert.deepEqual(pulled.user, user)
})

test('several branches: the ERP names the branch, moves the student by it, and may not invent one', async t => {
  const own = await startFakeErp(t)
  await setErp(group, own)
  const id = await registerStudent(group, { identifier: 'G-1' })
  const key = { instituteId: await instituteId(bursar, 'demo-group'), studentId: id, reason: 'test' as const }
  const pullIt = (): Promise<Pulled> => pullStudent(bursar.app.ctx, key)
  own.put(sampleRecord({ identifier: 'G-1' }))
  const nameless = await pullIt()
  assert.ok(nameless.kind === 'unavailable')
  assert.deepEqual(nameless.problems, [{ key: 'data.student.collector_code', message: 'is required' }])
  own.put(sampleRecord({ identifier: 'G-1', collector_code: 'WEST' }))
  const invented = await pullIt()
  assert.ok(invented.kind === 'refused' && invented.actsAs === 'data_error')
  own.put(sampleRecord({ identifier: 'G-1', collector_code: 'SOUTH' }))
  const moved = await pullIt()
  assert.ok(moved.kind === 'found')
  assert.deepEqual(moved.changes, [{ field: 'collector_code', before: 'NORTH', after: 'SOUTH' }])
  assert.equal((await group.get(`${ERP}/students/${id}`)).body.data.collector_code, 'SOUTH')
  const south = await startFakeErp(t)
  south.put(sampleRecord({ identifier: 'G-1' }))
  await setErp(group, south, { collector_code: 'SOUTH' })
  assert.ok((await pullIt()).kind === 'found', "a branch's own ERP need not name it")
  assert.equal(south.requests.length, 1, "a branch's settings win")
})

test('the stored secret is sealed, and no answer, log line or row holds it', async () => {
  const secret = 'a-very-secret-word'
  const shown = await setErp(demo, erp, { username: 'bursar', password: secret })
  const rows = await bursar.sql<{ row: string }>('select to_jsonb(s)::text as row from erp_settings s')
  const hex = Buffer.from(secret).toString('hex')
  const everything = JSON.stringify([shown, rows]) + bursar.logText()
  assert.ok(!everything.includes(secret) && !everything.includes(hex))
  await setErp(demo, erp)
})
