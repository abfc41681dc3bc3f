import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { found, sampleRecord, startFakeErp } from '../../harness/fakes/erp.ts'
import { ERP } from '../../harness/samples.ts'
import { Visitor } from '../../harness/visitor.ts'
import { fetchesOf, setErp } from '../../students/support.ts'
import { contract, entrance, INIT, parentOf, tokenOf } from '../../portal/entry-support.ts'
import { assertRefused, assertStatus, eventsOf, register, strictSchool, unique } from '../../http/support.ts'

const { demo, group, url, sql } = contract
const USER = { name: 'Asha Rao', phone: '+91 98765 43210' }
const erp = await startFakeErp({ after })
await setErp(group, erp)

/** Of whatever an entry makes. */
async function count(): Promise<number> {
  const made = 'select 1 from students union all select 1 from users union all select 1 from access_tokens'
  return (await sql(made)).length
}

/** A student of Demo Group as its ERP knows it, unknown here until it is asked for. */
function atErp(student: Record<string, unknown> = {}, rest: object = { user: USER }): string {
  const identifier = unique('INIT')
  erp.put(sampleRecord({ identifier, collector_code: 'NORTH', ...student }, rest))
  return identifier
}

test('init makes a student that is not known here of what the ERP answers, its user, and the way in', async () => {
  const identifier = atErp({ collector_code: 'SOUTH', fullname: 'Meera Iyer' })
  const answer = await group.post(INIT, {
    student: { identifier, grade: '5', collector_code: 'SOUTH' },
    options: { callback_url: 'https://erp.example.in/home', product_type: 'flex' },
  })
  assertStatus(answer, 201)
  const { redirect_url, expires_at } = answer.body.data
  assert.match(redirect_url, new RegExp(`^${url}/login-redirect\\?access_token=demo-group\\.[\\w-]{43}$`))
  assert.ok(Date.parse(expires_at) - Date.now() <= 15 * 60_000 + 1_000)
  const [student] = (await group.get(`${ERP}/students?identifier=${identifier}`)).body.data
  assert.equal(student.fullname, 'Meera Iyer')
  assert.equal(student.collector_code, 'SOUTH')
  assert.equal(student.fee_summary.outstanding, 60000)
  const events = await eventsOf(contract, student.service_student_id)
  assert.deepEqual(
    events.map(event => event.event_code),
    ['masterdata.student.registered'],
  )
  const [fetched] = await fetchesOf(group, student.service_student_id)
  assert.deepEqual([fetched.reason, fetched.outcome], ['init', 'found'])
  const visitor = new Visitor(url)
  const entered = await visitor.get(redirect_url)
  assert.equal(entered.location, `/parents/students/${student.service_student_id}/plan`)
  assert.match((await visitor.open('/parents')).text, /Meera Iyer[\s\S]*Back to erp\.example\.in/)
  assert.equal((await new Visitor(url).get(redirect_url)).status, 403)
})

test('init brings a known student up to date, also to another grade, and finds the user again by phone and e-mail', async () => {
  const identifier = atErp()
  assertStatus(await group.post(INIT, { student: { identifier } }), 201)
  const list = async (): Promise<Json[]> =>
    (await group.get(`${ERP}/students?identifier=${identifier}`)).body.data
  const [before] = await list()
  erp.put(
    sampleRecord(
      { identifier, collector_code: 'NORTH', grade: '6', primary_contact_email: 'ASHA@example.in' },
      {
        user: { name: 'Asha R', phone: '09876543210' },
        fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 70000 }],
      },
    ),
  )
  assertStatus(await group.post(INIT, { student: { identifier, grade: '5' } }), 201)
  const now = await list()
  assert.equal(now.length, 1)
  assert.equal(now[0].service_student_id, before.service_student_id)
  assert.deepEqual([now[0].grade, now[0].fee_summary.outstanding], ['6', 70000])
  assert.deepEqual(now[0].registration_ids, before.registration_ids)
})

test('init for another parent of the same student links both, and each sees the child', async () => {
  const identifier = atErp()
  assertStatus(await group.post(INIT, { student: { identifier } }), 201)
  erp.put(
    sampleRecord(
      { identifier, collector_code: 'NORTH' },
      { user: { name: 'Rohan Rao', phone: '9123456780' } },
    ),
  )
  const answer = await group.post(INIT, { student: { identifier } })
  const [student] = (await group.get(`${ERP}/students?identifier=${identifier}`)).body.data
  assert.equal(student.registration_ids.length, 2)
  const visitor = new Visitor(url)
  const page = await visitor.open(answer.body.data.redirect_url)
  assert.match(page.text, /Signed in as Rohan Rao/)
})

test('init without data.user, or with a refusal, or with an ERP that is away is 409 with words, and changes nothing', async () => {
  const outcomes: [string, () => void, RegExp, string][] = []
  const add = (arrange: (identifier: string) => void, words: RegExp, code: string): void => {
    const identifier = unique('BAD')
    outcomes.push([identifier, () => arrange(identifier), words, code])
  }
  add(id => erp.put(sampleRecord({ identifier: id, collector_code: 'NORTH' })), /data\.user/, 'user_missing')
  for (const code of [
    'student_not_found',
    'student_discontinued',
    'student_transferred',
    'data_error',
    'on_leave',
  ])
    add(id => erp.refuse(id, code, `We say ${code}.`), new RegExp(`^We say ${code}\\.$`), code)
  add(
    id => erp.put(sampleRecord({ identifier: id, collector_code: 'EAST' }, { user: USER })),
    /no branch EAST/,
    'data_error',
  )
  add(
    id =>
      erp.disturb(() =>
        found(sampleRecord({ identifier: `${id}-X`, collector_code: 'NORTH' }, { user: USER })),
      ),
    /the student asked for/,
    'another_student',
  )
  add(() => erp.disturb(() => ({ status: 500 })), /answered 500/, 'http_status')
  add(() => erp.disturb(() => ({ status: 200, body: '<html>' })), /HTML or XML/, 'not_json')
  for (const [identifier, arrange, words, code] of outcomes) {
    erp.disturb(null)
    arrange()
    const before = await count()
    const answer = await group.post(INIT, { student: { identifier } })
    assertRefused(answer, 'HUE00002')
    assert.match(answer.body.message, words)
    assert.equal(answer.body.data.erp_code, code)
    assert.equal(await count(), before, code)
    const [logged] = await sql<Json>('select reason, outcome, code from erp_fetches where identifier = $1', [
      identifier,
    ])
    assert.equal(logged?.reason, 'init', code)
  }
  erp.disturb(null)
})

test('init of a record that a closed catalogue does not know is 409 and names the field', async () => {
  const strict = await strictSchool(contract)
  await setErp(strict, erp)
  const identifier = unique('STRICT')
  erp.put(sampleRecord({ identifier, grade: 'NEW-GRADE' }, { user: USER }))
  const answer = await strict.post(INIT, { student: { identifier } })
  assertRefused(answer, 'HUE00002')
  assert.match(answer.body.message, /need a correction: data\.student\.grade/)
})

test('init without a fetch URL lets in the user of a student that is registered here', async () => {
  const { studentId } = await parentOf({ identifier: 'NO-FETCH', grade: '7' })
  const answer = await demo.post(INIT, { student: { identifier: 'NO-FETCH' } })
  assertStatus(answer, 201)
  const entered = await new Visitor(url).get(answer.body.data.redirect_url)
  assert.equal(entered.location, `/parents/students/${studentId}`)
  assertRefused(await demo.post(INIT, { student: { identifier: 'NOBODY' } }), 'HUE00001')
  assertRefused(await demo.post(INIT, { student: { identifier: 'NO-FETCH', grade: '8' } }), 'HUE00001')
  await parentOf({ identifier: 'NO-FETCH', grade: '8' })
  assertRefused(
    await demo.post(INIT, { student: { identifier: 'NO-FETCH' } }),
    'HUE00000',
    'student.identifier',
  )
  assertStatus(await demo.post(INIT, { student: { identifier: 'NO-FETCH', grade: '7' } }), 201)
})

test('init without a fetch URL lets in the primary contact of a student with two parents, never just any', async () => {
  const identifier = unique('TWO-PARENTS')
  const father = { identifier, primary_contact_name: 'Rohan Rao', primary_contact_number: '9123456780' }
  const { user, studentId } = await parentOf({ ...father, primary_contact_email: 'rohan@example.in' })
  const mother = { primary_contact_number: '9123456781', primary_contact_email: 'meena@example.in' }
  const linked = await register(demo, `${user}-2`, {
    identifier,
    primary_contact_name: 'Meena Rao',
    ...mother,
  })
  assertStatus(linked, 200)
  const signedIn = async (): Promise<string> => {
    const answer = await demo.post(INIT, { student: { identifier } })
    assertStatus(answer, 201)
    const page = await new Visitor(url).open(answer.body.data.redirect_url)
    return /Signed in as ([\w ]+)/.exec(page.text)?.[1] ?? page.text
  }
  // Registered last, she is the contact.
  assert.equal(await signedIn(), 'Meena Rao')
  const path = `${ERP}/students/${studentId}`
  const back = { primary_contact_number: '+91 91234 56780', primary_contact_email: 'Rohan@Example.in' }
  assertStatus(await demo.patch(path, back), 200)
  assert.equal(await signedIn(), 'Rohan Rao')
  const other = { primary_contact_name: 'Dadi Rao', primary_contact_number: '9123456782' }
  assertStatus(await demo.patch(path, { ...other, primary_contact_email: 'dadi@example.in' }), 200)
  assert.equal(await signedIn(), 'Dadi Rao')
  assert.equal((await demo.get(path)).body.data.registration_ids.length, 3)
  assert.equal(await signedIn(), 'Dadi Rao')
  assert.equal((await demo.get(path)).body.data.registration_ids.length, 3)
})

test('init refuses what it cannot read', async () => {
  assertRefused(await demo.post(INIT, {}), 'HUE00000', 'student')
  assertRefused(await demo.post(INIT, { student: {} }), 'HUE00000', 'student.identifier')
  const student = { identifier: 'X' }
  assertRefused(
    await demo.post(INIT, { student, options: { product_type: 'gold' } }),
    'HUE00000',
    'options.product_type',
  )
  assertRefused(
    await demo.post(INIT, { student, options: { callback_url: 'javascript:x' } }),
    'HUE00000',
    'options.callback_url',
  )
  const hidden = { callback_url: 'https://erp.example.in@evil.example/' }
  assertRefused(await demo.post(INIT, { student, options: hidden }), 'HUE00000', 'options.callback_url')
  assertRefused(
    await group.post(INIT, { student: { ...student, collector_code: 'EAST' } }),
    'HUE00000',
    'student.collector_code',
  )
})

test('init with an Idempotency-Key asks the ERP once and repeats its answer', async () => {
  const identifier = atErp()
  const key = { 'idempotency-key': unique('init') }
  const first = await group.post(INIT, { student: { identifier } }, key)
  const asked = erp.requests.length
  const second = await group.post(INIT, { student: { identifier } }, key)
  assert.equal(second.text, first.text)
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
  assert.equal(erp.requests.length, asked)
})

test('two inits at once for one unknown student make one student and one user', async () => {
  const identifier = atErp(
    { primary_contact_email: 'twins@example.in' },
    { user: { name: 'T', phone: '9000000001' } },
  )
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => group.post(INIT, { student: { identifier } })),
  )
  for (const answer of answers) assertStatus(answer, 201)
  const students = (await group.get(`${ERP}/students?identifier=${identifier}`)).body.data
  assert.equal(students.length, 1)
  assert.equal(students[0].registration_ids.length, 1)
})

test('products lists what a student has of each, newest first', async () => {
  const { user, studentId } = await parentOf()
  const path = `${ERP}/students/${studentId}/products`
  assert.deepEqual((await demo.get(path)).body.data, [])
  const visitor = new Visitor(url)
  const page = await visitor.open(entrance(await tokenOf(user), { service_student_id: studentId }))
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const paying = await visitor.post(`/parents/students/${studentId}/pay`, { csrf, amount: '1,500' })
  const orderId = paying.location?.split('/').at(-1) ?? ''
  assertStatus(await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' }), 200)
  assertStatus(await demo.post(`/api/v1/integrations/flex/students/${studentId}/plans`), 201)
  const { body } = await demo.get(path)
  assert.deepEqual(
    body.data.map((one: Json) => [one.product_type, one.status, one.amount, one.paid_amount]),
    [
      ['flex', 'draft', 58500, 0],
      ['pay', 'paid', 1500, 1500],
    ],
  )
  const onlyPay = await demo.get(`${path}?product_type=pay`)
  assert.deepEqual(
    onlyPay.body.data.map((one: Json) => one.id),
    [orderId],
  )
  assert.deepEqual((await demo.get(`${path}?product_type=cred`)).body.data, [])
  assertRefused(await demo.get(`${path}?product_type=gold`), 'HUE00000', 'product_type')
  assertRefused(await group.get(path), 'HUE00001')
})
