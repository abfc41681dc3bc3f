import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertRefused, assertStatus, clientWith, openContract, unique } from '../http/support.ts'
import type { Answer, Client, Json } from '../harness/client.ts'
import { found, sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { ERP } from '../harness/samples.ts'
import { fetchesOf, registerStudent, SANDBOX_ERP } from '../students/support.ts'

/** The settings of the fetch-student endpoint, its test and its log, as the API has them. */
const contract = await openContract()
const { demo, group } = contract
const erp = await startFakeErp({ after })
const TEST = `${ERP}/pull/test`

function put(body: Json, client: Client = demo): Promise<Answer> {
  return client.send('PUT', SANDBOX_ERP, body)
}

test('settings answer with what was set and the standards, never with a secret', async () => {
  const bare = await put({ url: erp.url })
  assertStatus(bare, 200)
  const { updated_at: at, ...rest } = bare.body.data
  assert.match(at, /Z$/)
  assert.deepEqual(rest, {
    is_configured: true,
    url: erp.url,
    auth: 'none',
    lookup: ['identifier'],
    custom_schedule: false,
    max_calls: 4,
  })
  const header = await put({
    url: erp.url,
    header: { name: 'X-Api-Key', value: 'hidden-1' },
    lookup: ['grade', 'identifier'],
    custom_schedule: true,
    max_calls: 256,
  })
  const { auth, header_name: name, lookup, custom_schedule: custom, max_calls: calls } = header.body.data
  assert.deepEqual(
    [auth, name, lookup, custom, calls],
    ['header', 'X-Api-Key', ['identifier', 'grade'], true, 256],
  )
  const basic = await put({ url: erp.url, username: 'bursar', password: 'hidden-2' })
  assert.deepEqual([basic.body.data.auth, basic.body.data.username], ['basic', 'bursar'])
  assert.doesNotMatch(header.text + basic.text, /hidden/)
})

const REFUSED: [what: string, body: Json, key: string][] = [
  ['no url', {}, 'url'],
  ['a url that is none', { url: 'erp' }, 'url'],
  ['credentials in the url', { url: 'https://a:b@erp.example.in/' }, 'url'],
  ['a password alone', { url: erp.url, password: 'x' }, 'username'],
  ['a user name with a colon', { url: erp.url, username: 'a:b', password: 'x' }, 'username'],
  ['two ways to authenticate', { url: erp.url, username: 'a', header: { name: 'X', value: 'y' } }, 'header'],
  ['a header that is ours', { url: erp.url, header: { name: 'Host', value: 'y' } }, 'header.name'],
  ['a line break in a header', { url: erp.url, header: { name: 'X', value: 'a\r\nb: c' } }, 'header.value'],
  ['a header as text', { url: erp.url, header: 'X: y' }, 'header'],
  ['an unknown parameter', { url: erp.url, lookup: ['identifier', 'name'] }, 'lookup.1'],
  ['a lookup without identifier', { url: erp.url, lookup: ['grade'] }, 'lookup'],
  ['no calls at all', { url: erp.url, max_calls: 0 }, 'max_calls'],
  ['too many calls', { url: erp.url, max_calls: 257 }, 'max_calls'],
  ['calls as text', { url: erp.url, max_calls: '4' }, 'max_calls'],
]
for (const [what, body, key] of REFUSED) {
  test(`${what} is 400 and ${key} is named`, async () => {
    assertRefused(await put(body), 'HUE00000', key)
  })
}

test('null or "" as url removes the settings, and removing them twice is fine', async () => {
  for (const url of [null, '']) {
    await put({ url: erp.url })
    for (let n = 0; n < 2; n++) assert.deepEqual((await put({ url })).body.data, { is_configured: false })
    const tested = await demo.post(TEST, { identifier: 'ADM-1' })
    assert.deepEqual(tested.body.data, { outcome: 'not_configured', problems: [] })
  }
})

test('a removal and a setting with an Idempotency-Key are done once', async () => {
  const key = { 'idempotency-key': unique('key') }
  const first = await demo.send('PUT', SANDBOX_ERP, { url: null }, key)
  await put({ url: erp.url })
  const again = await demo.send('PUT', SANDBOX_ERP, { url: null }, key)
  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.notEqual((await demo.post(TEST, { identifier: 'X' })).body.data.outcome, 'not_configured')
})

test('with several branches settings may be for one, and an unknown branch is 400', async () => {
  assertRefused(await put({ url: erp.url, collector_code: 'WEST' }, group), 'HUE00000', 'collector_code')
  const south = await put({ url: erp.url, collector_code: 'SOUTH' }, group)
  assert.equal(south.body.data.collector_code, 'SOUTH')
  const tested = async (body: Json) => (await group.post(TEST, body)).body.data.outcome
  assert.equal(await tested({ identifier: 'G', collector_code: 'SOUTH' }), 'refused')
  assert.equal(await tested({ identifier: 'G', collector_code: 'NORTH' }), 'not_configured')
  assertRefused(
    await group.post(TEST, { identifier: 'G', collector_code: 'WEST' }),
    'HUE00000',
    'collector_code',
  )
})

test('a test shows the student as it was understood, and stores nothing but the log entry', async () => {
  const identifier = unique('ADM')
  await put({ url: erp.url, lookup: ['identifier', 'grade', 'academic_year_start'] })
  const id = await registerStudent(demo, { identifier })
  const before = (await demo.get(`${ERP}/students/${id}`)).body.data
  const details = [{ component_type: 'TUITION_FEE', amount: 100.5 }]
  const record = sampleRecord(
    { identifier, grade: '9' },
    { payment_schedule: [{ due_date: '2027-01-05', details }], user: { name: 'Asha', phone: '9876543210' } },
  )
  erp.put(record)
  const { body } = await demo.post(TEST, { identifier, grade: '5' })
  const { data } = body
  assert.deepEqual([data.outcome, data.http_status, data.problems], ['found', 200, []])
  assert.equal(data.url, `${erp.url}?identifier=${identifier}&grade=5&academic_year_start=2026`)
  assert.deepEqual(data.student, { ...record.student, academic_year_start: 2026, academic_year_end: 2027 })
  assert.deepEqual(data.fee_components, record.fee_components)
  assert.deepEqual(data.payment_schedule, [{ due_date: '2027-01-05', is_downpayment: false, details }])
  assert.deepEqual(data.user, record.user)
  assert.deepEqual((await demo.get(`${ERP}/students/${id}`)).body.data, before)
  const [entry] = await fetchesOf(demo, id)
  assert.deepEqual([entry.reason, entry.outcome, entry.changes], ['test', 'found', []])
})

test('a test says field by field what is wrong, and what a refusal will be treated as', async () => {
  await put({ url: erp.url })
  erp.disturb(() => found({ student: { identifier: 7 }, fee_components: [] }))
  const wrong = (await demo.post(TEST, { identifier: 'ADM-7' })).body.data
  erp.disturb(null)
  assert.deepEqual([wrong.outcome, wrong.code, wrong.http_status], ['unavailable', 'wrong_record', 200])
  const keys = wrong.problems.map((problem: Json) => problem.key)
  assert.ok(keys.includes('data.student.identifier') && keys.includes('data.student.fullname'))
  erp.refuse('ADM-8', 'frozen', 'See the office.')
  const refused = (await demo.post(TEST, { identifier: 'ADM-8' })).body.data
  assert.deepEqual(
    [refused.outcome, refused.code, refused.acts_as, refused.message],
    ['refused', 'frozen', 'data_error', 'See the office.'],
  )
})

test('a test needs an identifier and the scope settings', async () => {
  assertRefused(await demo.post(TEST, {}), 'HUE00000', 'identifier')
  assertRefused(
    await demo.post(TEST, { identifier: 'A', academic_year_start: 2027, academic_year_end: 2026 }),
    'HUE00000',
    'academic_year_end',
  )
  const reader = await clientWith(contract, { scopes: ['read'] })
  assertRefused(await reader.post(TEST, { identifier: 'A' }), 'AUE00001')
  assertRefused(await reader.send('PUT', SANDBOX_ERP, { url: null }), 'AUE00001')
})

test('the log is newest first in pages, of this student alone', async () => {
  const identifier = unique('ADM')
  const id = await registerStudent(demo, { identifier })
  const other = await registerStudent(demo, { identifier: unique('ADM') })
  for (let n = 0; n < 3; n++) await demo.post(TEST, { identifier })
  const log = `${ERP}/students/${id}/fetches`
  const all = (await demo.get(log)).body.data.map((entry: Json) => entry.id)
  assert.equal(all.length, 3)
  assert.deepEqual(all, all.toSorted().toReversed())
  const first = await demo.get(`${log}?limit=2`)
  assert.deepEqual([first.body.has_more, first.body.next_cursor], [true, all[1]])
  const second = await demo.get(`${log}?limit=2&cursor=${all[1]}`)
  assert.deepEqual([second.body.has_more, second.body.data[0].id], [false, all[2]])
  assertRefused(await demo.get(`${ERP}/students/${other}/fetches?cursor=${all[1]}`), 'HUE00000', 'cursor')
  assertRefused(await demo.get(`${ERP}/students/student_none/fetches`), 'HUE00001')
})
