import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import writeExcelFile from 'write-excel-file/node'
import { advanceImport, finishImport } from '../../src/imports/engine/steps.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { pay } from '../payment-pages/support.ts'
import { AT, GROUP_AT, linksFile, read, uploadFile } from '../console/orders/support.ts'
import { instituteId } from '../students/support.ts'
import { assertAnswer, createPerson, Visitor } from '../console/support.ts'
import { csv, importFile, studentRow } from './support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar
const sql = bursar.sql.bind(bursar)
const { ctx } = bursar.app
const [finance, viewer, stranger] = await Promise.all([
  createPerson(bursar, { email: 'finance@school.example', institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: 'viewer@school.example', institute: 'demo-school', role: 'viewer' }),
  createPerson(bursar, { email: 'stranger@group.example', institute: 'demo-group', role: 'owner' }),
])

const row = (no: number, rest = 'TUITION_FEE,1000'): string =>
  `Parent ${no},98765${String(no).padStart(5, '0')},parent${no}@example.in,${rest}`

async function upload(file: string | Uint8Array<ArrayBuffer>, visitor = finance): Promise<Json> {
  const answer = await uploadFile(visitor, file)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

async function start(id: string, body: Record<string, unknown> = {}): Promise<void> {
  assertAnswer(await finance.post(`${AT}/link-batches/${id}/start`, body), '200')
}

/** One step of a worker. */
async function advance(id: string): Promise<string> {
  return advanceImport(ctx, { instituteId: await instituteId(bursar), id })
}

/** What a worker would do. */
async function work(id: string): Promise<Json> {
  await finishImport(ctx, { instituteId: await instituteId(bursar), id })
  return read(viewer, `${AT}/link-batches/${id}`)
}

const problems = async (id: string): Promise<string[]> =>
  (await read(viewer, `${AT}/link-batches/${id}/problems`)).map((one: Json) =>
    [one.row, one.column ?? '-', one.message].join(' '),
  )

async function csvOf(id: string, visitor = viewer): Promise<string[][]> {
  const answer = await fetch(`${bursar.url}${AT}/link-batches/${id}/links`, {
    headers: { cookie: visitor.cookie ?? '' },
  })
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-disposition') ?? '', /attachment; filename="links-batch_\w+\.csv"/)
  return (await answer.text())
    .trim()
    .split('\r\n')
    .map(line => line.split(','))
}

test('a file is checked whole, each bad row is named, and nothing is made before it is started', async () => {
  const before = await sql('select 1 from orders')
  const header = 'Name,Phone,E-mail,Email,Component type,Amount,component_type_2,amount_2,expires_at,House'
  const file = linksFile(
    [
      'Asha Rao,9876543210,x,asha@example.in,TUITION_FEE,"1,000.50",TRANSPORT_FEE,200,31/12/2099,Blue',
      'No Phone,12,x,asha@example.in,TUITION_FEE,1000,,,,',
      'No Amount,9876543210,x,not an address,TUITION_FEE,,,,,',
      'Half,9876543210,x,asha@example.in,TUITION_FEE,1,BUS_FEE,,,',
      'Late,9876543210,x,asha@example.in,TUITION_FEE,1,,,01/01/2020,',
      'Asha Rao,9876543210,x,asha@example.in,TUITION_FEE,"1,000.50",TRANSPORT_FEE,200,31/12/2099,Blue',
      '',
    ],
    header,
  )
  const batch = await upload(file)
  assert.deepEqual(
    [batch.state, batch.rows.total, batch.rows.bad, batch.rows.to_make, batch.unknown_columns],
    ['checked', 6, 5, 1, ['E-mail', 'House']],
  )
  assert.deepEqual(await problems(batch.id), [
    '3 phone must be a phone number of 7 to 15 digits',
    '4 email must be an e-mail address such as name@example.in',
    '4 amount is required',
    '5 amount_2 is required beside component_type_2',
    '6 expires_at must be in the future',
    '7 - says the same as row 2; give both a reference if two links are wanted',
  ])
  assert.deepEqual(await sql('select 1 from orders'), before)
  assertAnswer(await viewer.post(`${AT}/link-batches/${batch.id}/start`), '403 AUE00001')
  await start(batch.id)
  const done = await work(batch.id)
  assert.deepEqual([done.state, done.progress, done.rows.made], ['done', 100, 1])
  const [, link] = await csvOf(batch.id)
  assert.deepEqual(link?.slice(0, 3), ['2', 'Asha Rao', '9876543210'])
  const told = await read(viewer, `${AT}/orders/${link?.[7]}`)
  assert.deepEqual([told.amount, told.file.row, told.expires_at], [1200.5, 2, '2099-12-31T18:30:00.000Z'])
  assert.equal(told.timeline.at(-1).title, 'Created out of the file links.csv, row 2')
  assert.equal((await fetch(link?.[8] ?? '')).status, 200)
})

test('the corrected file makes only what was missing, and the same file again makes nothing', async () => {
  const first = await upload(linksFile([row(1), row(2), row(3, 'TUITION_FEE,x')]))
  await start(first.id)
  await work(first.id)
  const links = await csvOf(first.id)
  await pay(demo, links[1]?.[7] ?? '')
  const second = await upload(linksFile([row(1), row(2), row(3)]))
  assert.deepEqual([second.rows.known, second.rows.to_make], [2, 1])
  await start(second.id)
  const done = await work(second.id)
  assert.deepEqual([done.rows.made, done.rows.repeated], [1, 2])
  const all = await csvOf(second.id)
  assert.deepEqual(
    all.slice(1).map(cells => [cells[7] === links[Number(cells[0]) - 1]?.[7], cells.at(-1)]),
    [
      [true, 'before'],
      [true, 'before'],
      [false, 'now'],
    ],
  )
  const third = await upload(linksFile([row(1), row(2), row(3)]))
  assert.equal(third.rows.to_make, 0)
  assertAnswer(await finance.post(`${AT}/link-batches/${third.id}/start`), '409 HUE00002')
})

test('after a week the same row is a new link, unless a reference names it', async () => {
  const header = 'name,phone,email,component_type,amount,reference'
  const file = linksFile([row(11, 'BUS_FEE,500,'), row(12, 'BUS_FEE,500,bus-12')], header)
  const first = await upload(file)
  await start(first.id)
  await work(first.id)
  await demo.post('/api/v1/sandbox/clock', { advance: 'P8D' })
  const later = await upload(file)
  assert.deepEqual([later.rows.known, later.rows.to_make], [1, 1])
  await start(later.id)
  assert.deepEqual((await work(later.id)).rows.repeated, 1)
  const twice = await upload(linksFile([row(13, 'BUS_FEE,1,same'), row(14, 'BUS_FEE,1,same')], header))
  assert.deepEqual(await problems(twice.id), ['3 reference is that of row 2; each row needs one of its own'])
})

test('payers are notified of their links in the language chosen, and the file says how many and how', async () => {
  const batch = await upload(linksFile([row(21), row(22)]))
  await start(batch.id, { channels: ['email', 'sms'], language: 'hi' })
  await work(batch.id)
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
  const { body } = await demo.get('/api/v1/sandbox/mailbox?to=parent21@example.in')
  assert.match(body.data[0].text, /नमस्ते Parent 21 जी/)
  const [sms] = await sql<{ count: number }>(
    `select count(*)::int as count from messages where template = 'payment_link_hi' and recipient like '98765000%'`,
  )
  assert.equal(sms?.count, 2)
  const told = await read(viewer, `${AT}/link-batches/${batch.id}`)
  assert.deepEqual([told.told_by_email, told.told_by_sms], [2, 2])
})

test('many rows are made step by step; a crash half way makes nothing twice, and a file can be stopped', async () => {
  const rows = Array.from({ length: 1_200 }, (_, no) => row(1_000 + no))
  const batch = await upload(linksFile(rows))
  await start(batch.id)
  assert.equal(await advance(batch.id), 'done')
  const half = await read(viewer, `${AT}/link-batches/${batch.id}`)
  assert.deepEqual([half.state, half.progress, half.rows.made], ['running', 41, 500])
  // Two workers at once: one holds the batch, the other passes it by.
  await Promise.all([advance(batch.id), advance(batch.id)])
  assert.deepEqual((await work(batch.id)).rows.made, 1_200)
  const [count] = await sql<{ count: number }>(
    `select count(distinct order_id)::int as count from import_links where import_id = $1`,
    [batch.id],
  )
  assert.equal(count?.count, 1_200)
  const other = await upload(linksFile(Array.from({ length: 700 }, (_, no) => row(5_000 + no))))
  await start(other.id)
  await advance(other.id)
  assertAnswer(await finance.send('DELETE', `${AT}/link-batches/${other.id}`, {}), '400 HUE00000')
  assertAnswer(await viewer.send('DELETE', `${AT}/link-batches/${other.id}`, { reason: 'x' }), '403 AUE00001')
  assertAnswer(
    await finance.send('DELETE', `${AT}/link-batches/${other.id}`, { reason: 'Wrong term' }),
    '200',
  )
  const stopped = await work(other.id)
  assert.deepEqual([stopped.state, stopped.rows.made], ['stopped', 500])
  assertAnswer(await finance.post(`${AT}/link-batches/${other.id}/start`), '409 HUE00002')
  const listed = await read(viewer, `${AT}/link-batches?state=stopped`)
  assert.deepEqual(
    listed.map((one: Json) => one.id),
    [other.id],
  )
})

test('two files with the same rows at once make each link once', async () => {
  const file = linksFile([row(31), row(32)])
  const [one, two] = await Promise.all([upload(file), upload(`${file}\r\n`)])
  await Promise.all([start(one.id), start(two.id)])
  await Promise.all([advance(one.id), advance(two.id)])
  const made = [await work(one.id), await work(two.id)]
  assert.equal(
    made.reduce((sum, { rows: { made: count } }) => sum + count, 0),
    2,
  )
})

test('a row that is good when checked and not when its turn comes is listed in the report', async () => {
  const header = 'name,phone,email,component_type,amount,expires_at'
  const batch = await upload(linksFile([row(41, 'TUITION_FEE,1,2099-12-31')], header))
  await start(batch.id)
  await sql(
    `update import_rows set body = jsonb_set(body::jsonb, '{expiresAt}', '"2026-01-01T00:00:00Z"')::text
     where import_id = $1`,
    [batch.id],
  )
  const done = await work(batch.id)
  assert.deepEqual([done.state, done.rows.made, done.rows.failed], ['done', 0, 1])
  assert.deepEqual(await problems(batch.id), ['2 expires_at was over before the link could be made'])
})

test('a spreadsheet is read like CSV, and a press that is repeated is one file', async () => {
  const sheet = [
    ['name', 'phone', 'email', 'component_type', 'amount'],
    ['Xlsx Parent', 9_876_512_345, 'xlsx@example.in', 'TUITION_FEE', 1234.5],
  ]
  const file = new Uint8Array(await writeExcelFile(sheet).toBuffer())
  const first = await uploadFile(finance, file, { name: 'term 2.xlsx', key: 'press-1' })
  assert.equal(first.status, 201, first.text)
  assert.deepEqual([first.body.data.rows.to_make, first.body.data.file_name], [1, 'term 2.xlsx'])
  const again = await uploadFile(finance, file, { name: 'term 2.xlsx', key: 'press-1' })
  assert.equal(again.text, first.text)
})

test('a file that cannot be used is refused with what to do', async () => {
  for (const [file, words] of [
    ['', /empty/],
    ['name,phone\r\n', /columns are missing: email, component_type, amount/],
    ['a,b\r\n1,2\r\n', /first row must name the columns/],
    [linksFile([]), /no rows below its header/],
    [Buffer.from([0xff, 0xfe, 0x41]), /UTF-8/],
  ] as const) {
    const answer = await uploadFile(finance, file)
    assertAnswer(answer, '400 HUE00000')
    assert.match(answer.body.message, words)
  }
  const big = await uploadFile(finance, `${linksFile([])}${'x'.repeat(5_000_001)}`)
  assertAnswer(big, '413 HUE00004')
  assertAnswer(await uploadFile(viewer, linksFile([row(1)])), '403 AUE00001')
  assertAnswer(await uploadFile(new Visitor(bursar.url), linksFile([row(1)])), '401 AUE00000')
  const forged = new Visitor(bursar.url)
  forged.cookie = finance.cookie
  assertAnswer(await uploadFile(forged, linksFile([row(1)])), '403 AUE00001')
  assertAnswer(await uploadFile(stranger, linksFile([row(1)])), '404 HUE00001')
})

test('an institute with several branches names one in every row', async () => {
  const header = 'name,phone,email,component_type,amount,collector_code'
  const answer = await uploadFile(
    stranger,
    linksFile([row(1, 'A,1,NORTH'), row(2, 'A,1,'), row(3, 'A,1,EAST')], header),
    { at: GROUP_AT },
  )
  assert.deepEqual([answer.body.data.rows.total, answer.body.data.rows.bad], [3, 2], answer.text)
})

test('a file of another institute is one that does not exist', async () => {
  const { id } = await upload(linksFile([row(51)]))
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '/problems', undefined],
    ['GET', '/links', undefined],
    ['POST', '/start', {}],
    ['DELETE', '', { reason: 'x' }],
  ] as const)
    assertAnswer(await stranger.send(method, `${GROUP_AT}/link-batches/${id}${path}`, body), '404 HUE00001')
})

test('a file of links is no import of the API, and an import of the API is no file of links', async () => {
  const { id } = await upload(linksFile([row(61)]))
  const imports = '/api/v1/integrations/erp/imports'
  assert.equal((await demo.get(`${imports}/${id}`)).status, 404)
  assert.equal((await demo.get(`${imports}/${id}/problems`)).status, 404)
  assert.equal((await demo.post(`${imports}/${id}/apply`, { mode: 'good' })).status, 404)
  assert.equal((await demo.delete(`${imports}/${id}`)).status, 404)
  const listed = await demo.get(imports)
  assert.ok(listed.body.data.every((one: Json) => one.id !== id))
  const file = await importFile(bursar, 'kind=students&dry_run=true', csv([studentRow()]))
  assertAnswer(await viewer.send('GET', `${AT}/link-batches/${file.id}`), '404 HUE00001')
})

test('links that were made outlast the rows they were made of', async () => {
  const batch = await upload(linksFile([row(71)]))
  await start(batch.id)
  await work(batch.id)
  await demo.post('/api/v1/sandbox/clock', { advance: 'P100D' })
  await bursar.app.worker.runAllDue('purge')
  assert.deepEqual(await sql('select 1 from import_rows where import_id = $1', [batch.id]), [])
  assert.equal((await csvOf(batch.id)).length, 2)
})
