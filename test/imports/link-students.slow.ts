import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { finishImport } from '../../src/imports/engine/steps.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { AT, linksFile, read, uploadFile } from '../console/orders/support.ts'
import { assertAnswer, createPerson } from '../console/support.ts'
import { pay } from '../payment-pages/support.ts'
import { instituteId, registerStudent } from '../students/support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar
const finance = await createPerson(bursar, {
  email: 'finance@school.example',
  institute: 'demo-school',
  role: 'finance',
})

const HEADER = 'name,phone,email,component_type,amount,identifier,settle_dues,service_student_id,grade'
const row = (amount: number, rest: string): string =>
  `Parent,9876500001,parent@example.in,TUITION_FEE,${amount},${rest}`

async function upload(rows: readonly string[]): Promise<Json> {
  const answer = await uploadFile(finance, linksFile(rows, HEADER))
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

async function makeLinks(id: string, options: Json = {}): Promise<Json> {
  assertAnswer(await finance.post(`${AT}/link-batches/${id}/start`, options), '200')
  await finishImport(bursar.app.ctx, { instituteId: await instituteId(bursar), id })
  return read(finance, `${AT}/link-batches/${id}`)
}

/** By the row of the file: the order, and whose dues it pays. */
async function report(id: string): Promise<Map<number, { orderId: string; paysFor: string }>> {
  const answer = await fetch(`${bursar.url}${AT}/link-batches/${id}/links`, {
    headers: { cookie: finance.cookie ?? '' },
  })
  const [header = '', ...lines] = (await answer.text()).replace('\uFEFF', '').trim().split('\r\n')
  const at = (name: string): number => header.split(',').indexOf(name)
  return new Map(
    lines.map(line => {
      const cells = line.split(',')
      return [
        Number(cells[at('row')]),
        { orderId: cells[at('order_id')] ?? '', paysFor: cells[at('pays_dues_of')] ?? '' },
      ]
    }),
  )
}

async function owed(studentId: string): Promise<number> {
  return (await demo.get(`${ERP}/students/${studentId}/dues`)).body.data.total_amount
}

const problems = async (id: string): Promise<string[]> =>
  (await read(finance, `${AT}/link-batches/${id}/problems`)).map((one: Json) =>
    [one.row, one.column, one.message].join(' '),
  )

test('a row that names a student by its id, or settles the dues of its identifier, lowers that student’s dues', async () => {
  const kabir = await registerStudent(demo, { identifier: 'LF-1' })
  const asha = await registerStudent(demo, { identifier: 'LF-2' })
  const file = [row(100, 'LF-1,yes,,'), row(200, `,,${asha},`), row(300, 'LF-1,,,'), row(400, 'LF-1,no,,')]
  const checked = await upload(file)
  assert.deepEqual([checked.rows.to_make, checked.rows.settling, checked.rows.bad], [4, 2, 0])
  assert.equal((await makeLinks(checked.id)).rows.made, 4)
  const links = await report(checked.id)
  assert.deepEqual(
    [2, 3, 4, 5].map(no => links.get(no)?.paysFor),
    [kabir, asha, '', ''],
  )
  const before = [await owed(kabir), await owed(asha)]
  for (const { orderId } of links.values()) await pay(demo, orderId)
  assert.deepEqual([await owed(kabir), await owed(asha)], [(before[0] ?? 0) - 100, (before[1] ?? 0) - 200])
  const again = await upload(file)
  assert.deepEqual([again.rows.known, again.rows.to_make], [4, 0], 'the same file makes no second link')
})

test('an identifier that fits none or several students is a problem of its row alone', async () => {
  const years = { academic_year_start: 2030, academic_year_end: 2031 }
  await registerStudent(demo, { identifier: 'LF-3', grade: '5' })
  const older = await registerStudent(demo, { identifier: 'LF-3', grade: '9', ...years })
  const checked = await upload([
    row(1, 'LF-3,yes,,'),
    row(2, 'LF-NOBODY,yes,,'),
    row(3, ',yes,,'),
    row(4, ',,student_unknown,'),
    row(5, 'LF-3,maybe,,'),
    row(6, 'LF-3,yes,,9'),
  ])
  assert.deepEqual([checked.rows.bad, checked.rows.to_make, checked.rows.settling], [5, 1, 1])
  const [several = '', ...others] = await problems(checked.id)
  assert.match(
    several,
    /^2 identifier fits several students: class 5 of \d+–\d+, class 9 of 2030–2031; add academic_year_start, grade or service_student_id$/,
  )
  assert.deepEqual(others.slice(0, 3), [
    '3 identifier fits no student, so settle_dues cannot pay any dues',
    '4 identifier is required with settle_dues',
    '5 service_student_id is no student of this institute',
  ])
  assert.match(others[3] ?? '', /^6 settle_dues must be/)
  await makeLinks(checked.id)
  assert.deepEqual((await report(checked.id)).get(7)?.paysFor, older)
})

test('a student of another institute is none here, and one that no longer fits alone is said when its turn comes', async () => {
  const stranger = await registerStudent(bursar.group, { identifier: 'LF-4', collector_code: 'NORTH' })
  const foreign = await upload([row(1, `,,${stranger},`), row(2, 'LF-4,yes,,')])
  assert.equal(foreign.rows.bad, 2)
  await registerStudent(demo, { identifier: 'LF-5', grade: '5' })
  const checked = await upload([row(3, 'LF-5,yes,,')])
  assert.equal(checked.rows.to_make, 1)
  await registerStudent(demo, { identifier: 'LF-5', grade: '6' })
  const done = await makeLinks(checked.id)
  assert.deepEqual([done.rows.made, done.rows.failed], [0, 1])
  assert.match((await problems(checked.id))[0] ?? '', /^2 identifier fits several students/)
})

test('a school’s own file: columns are guessed, matched by a person and remembered; fees stand one in a column', async () => {
  const file = [
    'Parent,Mobile No.,E-mail,Adm No,Tuition Fee,Bus fee,Remarks',
    'Asha Rao,9876500011,asha@example.in,X-1,45000,6500.50,brother of X-2',
    'Ravi Rao,9876500012,ravi@example.in,X-2,45000,0,',
    'Meera Rao,9876500013,meera@example.in,X-3,,,',
    'Kiran Rao,9876500014,kiran@example.in,X-4,forty,100,',
  ].join('\r\n')
  const columns = async (): Promise<Json[]> =>
    (await uploadFile(finance, file, { to: 'link-batches/columns' })).body.data.columns
  const guesses = (await columns()).map(column => column.guess)
  assert.deepEqual(guesses, [
    'name',
    'phone',
    'email',
    'identifier',
    'fee:TUITION_FEE',
    'fee:BUS_FEE',
    undefined,
  ])
  const send = (names: unknown[]) =>
    uploadFile(finance, file, { query: `columns=${encodeURIComponent(JSON.stringify(names))}` })
  const matched = ['name', 'phone', 'email', 'identifier', 'fee:TUITION_FEE', 'fee:TRANSPORT_FEE', null]
  const sent = await send(matched)
  assertAnswer(sent, '201')
  const batch = sent.body.data
  assert.deepEqual([batch.rows.total, batch.rows.bad, batch.unknown_columns], [4, 2, ['Remarks']])
  assert.deepEqual(await problems(batch.id), [
    '4 fee:TUITION_FEE needs an amount, here or under another fee: a link asks for one fee at least',
    '5 fee:TUITION_FEE must be an amount in rupees with at most two decimals, from 0 to 100000000000',
  ])
  await makeLinks(batch.id)
  const lines = await bursar.sql<{ component_type: string; paise: number }>(
    `select l.component_type, l.amount_paise as paise from order_lines l join orders o on o.institute_id = l.institute_id
       and o.id = l.order_id where o.identifier in ('X-1', 'X-2') order by o.identifier, l.line_no`,
  )
  assert.deepEqual(
    lines.map(line => [line.component_type, line.paise]),
    [
      ['TUITION_FEE', 4_500_000],
      ['TRANSPORT_FEE', 650_050],
      ['TUITION_FEE', 4_500_000],
    ],
  )
  assert.deepEqual(
    (await columns()).map(column => column.guess ?? null),
    matched,
    'the next file with these headings is matched in the same way',
  )
  assertAnswer(await send(['name', 'phone', 'email']), '400 HUE00000')
  assertAnswer(await send([...matched.slice(0, 6), 'name']), '409 HUE00002')
  assertAnswer(await send([...matched.slice(0, 6), 'password']), '400 HUE00000')
})

test('messages to phones of a file that is started at night wait for the morning, and the file says how many', async () => {
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT13H' })
  const { id } = await upload([row(100, 'N-1,,,'), row(200, 'N-2,,,')])
  await makeLinks(id, { channels: ['email', 'sms'] })
  const told = async (): Promise<unknown[]> => {
    const file = await read(finance, `${AT}/link-batches/${id}`)
    return [file.told_by_email, file.told_by_sms, file.sms_waiting]
  }
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
  assert.deepEqual(await told(), [2, 2, 2])
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT11H' })
  assert.deepEqual(await told(), [2, 2, 0])
})

test('a row over what is left of a fee says what is on the way and until when, when it is checked and when its turn comes', async () => {
  const kabir = await registerStudent(demo, { identifier: 'LF-6' })
  const whole = await owed(kabir)
  const asked = { name: 'Asha Rao', phone: '9876543210', email: 'asha@example.in' }
  const details = [{ component_type: 'TUITION_FEE', amount: whole - 500 }]
  const order = await demo.post(`${PAY}/orders`, { ...asked, service_student_id: kabir, details })
  const checkedBefore = await upload([row(700, 'LF-6,yes,,')])
  assert.equal(checkedBefore.rows.bad, 0)
  const pending = `/api/v1/sandbox/pay/orders/${order.body.data.order_id}/pay`
  assertAnswer(await demo.post(pending, { outcome: 'pending' }), '200')

  const checked = await upload([row(500, 'LF-6,yes,,'), row(501, 'LF-6,yes,,'), row(600, 'LF-6,no,,')])
  assert.deepEqual([checked.rows.bad, checked.rows.settling], [1, 1])
  const onTheWay = /^\d amount ₹[\d,.]+ of these fees is on the way already: .*, expected by \d/
  assert.match((await problems(checked.id)).join(), onTheWay)

  const made = await makeLinks(checkedBefore.id)
  assert.deepEqual([made.rows.made, made.rows.failed], [0, 1])
  assert.match((await problems(checkedBefore.id)).join(), onTheWay)
})
