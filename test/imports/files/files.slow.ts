import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { after, test } from 'node:test'
import writeExcelFile from 'write-excel-file/node'
import { startBursar } from '../../harness/bursar.ts'
import { Client, DEMO, type Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import {
  csv,
  getImport,
  importFile,
  IMPORTS,
  paymentRow,
  problemsOf,
  studentRow,
  upload,
  XLSX_TYPE,
  type File,
} from '../support.ts'

const bursar = await startBursar({ after })
const { demo, group } = bursar

type Cell = string | number | boolean | Date

/** A spreadsheet as a person makes one: numbers are numbers and dates are dates. */
async function xlsx(rows: readonly Cell[][]): Promise<File> {
  const cells = rows.map(row =>
    row.map(value => ({
      value,
      ...(value instanceof Date ? { type: Date, format: 'dd/mm/yyyy hh:mm' } : {}),
    })),
  )
  const buffer = await writeExcelFile(cells as never).toBuffer()
  return new Uint8Array(buffer)
}

async function studentsOf(identifiers: readonly string[]): Promise<Json[]> {
  const pages = identifiers.map(
    async one => (await demo.get(`${ERP}/students?identifier=${one}`)).body.data[0],
  )
  return (await Promise.all(pages)).map(
    ({ service_student_id: _id, created_at: _at, updated_at: _to, identifier: _i, ...rest }) => rest,
  )
}

test('a spreadsheet and a CSV file with the same content do the same', async () => {
  const [first, second] = [
    studentRow({ identifier: 'CSV-1' }),
    studentRow({ identifier: 'CSV-2', new_admission: true }),
  ]
  await importFile(bursar, 'kind=students', csv([first, second]))
  const names = Object.keys(first)
  const typed = (row: typeof first, identifier: string): Cell[] =>
    Object.entries({ ...row, identifier }).map(([name, value]) => {
      if (name === 'date_of_birth') return new Date(`${value}T00:00:00Z`)
      if (/number|year|grade/.test(name)) return Number(value)
      return value
    })
  const file = await xlsx([names, typed(first, 'XLSX-1'), typed(second, 'XLSX-2')])
  const one = await importFile(bursar, 'kind=students', file)
  assert.deepEqual([one.state, one.file.format, one.rows.applied], ['done', 'xlsx', 2], JSON.stringify(one))
  assert.deepEqual(await studentsOf(['XLSX-1', 'XLSX-2']), await studentsOf(['CSV-1', 'CSV-2']))
  assert.equal((await importFile(bursar, 'kind=students', file)).rows.unchanged, 2)
  const blank = await xlsx([names, typed({ ...first, fullname: '' }, 'XLSX-3')])
  const bad = await importFile(bursar, 'kind=students', blank)
  assert.deepEqual(await problemsOf(demo, bad.id), ['2 fullname is required'])
})

function timedRow(transaction_id: string, paid_at: Cell): Cell[] {
  return Object.values({ ...paymentRow({ identifier: 'TIME-1', transaction_id }), paid_at })
}

test('dates and times of a spreadsheet are Indian time, as they stand there', async () => {
  await importFile(bursar, 'kind=students', csv([studentRow({ identifier: 'TIME-1' })]))
  const names = Object.keys(paymentRow())
  const file = await xlsx([
    names,
    timedRow('T-1', new Date('2026-06-05T10:15:00Z')),
    timedRow('T-2', new Date('2026-06-05T00:00:00Z')),
    timedRow('T-3', '05/06/2026 10:15'),
    timedRow('T-4', 46178.427083333336),
  ])
  const one = await importFile(bursar, 'kind=payments', file)
  assert.equal(one.rows.applied, 4, (await problemsOf(demo, one.id)).join())
  const rows = await bursar.sql<{ at: Date }>(
    `select paid_at as at from direct_payments where transaction_id like 'T-%' order by transaction_id`,
  )
  assert.deepEqual(
    rows.map(({ at }) => at.toISOString()),
    [
      '2026-06-05T04:45:00.000Z',
      '2026-06-04T18:30:00.000Z',
      '2026-06-05T04:45:00.000Z',
      '2026-06-05T04:45:00.000Z',
    ],
  )
})

test("the guide's sample files are good, and so is their sum", async () => {
  for (const kind of ['students', 'fees', 'payments']) {
    const text = readFileSync(
      new URL(`../../../docs/erp-developer/samples/${kind}.csv`, import.meta.url),
      'utf8',
    )
    const one = await importFile(bursar, `kind=${kind}`, text)
    assert.deepEqual([one.state, one.rows.bad], ['done', 0], (await problemsOf(demo, one.id)).join())
  }
  const [kabir] = (await demo.get(`${ERP}/students?identifier=ADM-1042`)).body.data
  assert.deepEqual(kabir.fee_summary, {
    total_fee: 72000,
    discount: 7500,
    paid: 23000,
    outstanding: 41500,
    on_the_way_amount: 0,
    advance: 0,
  })
})

const VARIANTS: [what: string, write: (text: string) => string][] = [
  ['a byte order mark', text => `\ufeff${text}`],
  ['Windows line ends', text => text.replaceAll('\n', '\r\n')],
  ['old line ends', text => text.replaceAll('\n', '\r')],
  ['semicolons', text => text.replaceAll(',', ';')],
  ['tabs', text => text.replaceAll(',', '\t')],
  ['no line end at its end', text => text.trimEnd()],
  ['blank lines and cells', text => `${text}\n , ,\n${','.repeat(11)}\n`],
  ['blanks around its cells', text => text.replaceAll(',', ' , ')],
  [
    'quotes around everything',
    text =>
      text
        .trim()
        .split('\n')
        .map(line =>
          line
            .split(',')
            .map(cell => `"${cell}"`)
            .join(','),
        )
        .join('\n'),
  ],
]

for (const [index, [what, write]] of VARIANTS.entries()) {
  test(`a CSV file may have ${what}`, async () => {
    const identifier = `VAR-${index}`
    const plain = csv([studentRow({ identifier, registration_id: 'parent-var' })]).replaceAll('\r', '')
    const one = await importFile(bursar, 'kind=students', write(plain))
    assert.deepEqual([one.state, one.rows.applied], ['done', 1], JSON.stringify(one))
    assert.deepEqual(await studentsOf([identifier]), await studentsOf(['VAR-0']))
  })
}

test('formulas are text, and what spreadsheets wrap around text is taken off', async () => {
  const file = csv([
    studentRow({
      identifier: '="00042"',
      fullname: '=HYPERLINK("http://evil","Kabir")',
      primary_contact_name: "'+Asha",
    }),
  ])
  const one = await importFile(bursar, 'kind=students', file.replace('"=""00042"""', '="00042"'))
  assert.equal(one.rows.applied, 1, (await problemsOf(demo, one.id)).join())
  const { data } = (await demo.get(`${ERP}/students?identifier=00042`)).body
  assert.deepEqual(
    [data[0].fullname, data[0].primary_contact_name],
    ['=HYPERLINK("http://evil","Kabir")', '+Asha'],
  )
})

test('a spreadsheet that would unpack to more than a machine holds is refused before it is unpacked', async () => {
  const small = Buffer.from((await xlsx([['identifier'], ['x'.repeat(30_000)]])) as Uint8Array)
  const directory = small.lastIndexOf(Buffer.from('PK\u0001\u0002'))
  small.writeUInt32LE(4_000_000_000, directory + 24)
  const one = await importFile(bursar, 'kind=fees', new Uint8Array(small))
  assert.equal(one.state, 'failed')
  assert.match(one.message, /too large/)
})

test('what is not a file of the right kind is a 400, and nothing is kept of it', async () => {
  const file = csv([studentRow({ identifier: 'WIRE-1' })])
  const before = await bursar.sql('select id from imports')
  for (const [query, body, headers] of [
    ['kind=teachers', file, {}],
    ['', file, {}],
    ['kind=students&mode=some', file, {}],
    ['kind=students&dry_run=yes', file, {}],
    ['kind=students', '', {}],
    ['kind=students', '{"student":{}}', { 'content-type': 'application/json' }],
  ] as const) {
    const answer = await upload(demo, query, body, headers)
    assert.deepEqual([answer.status, answer.body.code], [400, 'HUE00000'], query)
  }
  assert.deepEqual(await bursar.sql('select id from imports'), before)
  const nobody = await upload(new Client(bursar.url, { ...DEMO, secret: 'wrong' }), 'kind=students', file)
  assert.equal(nobody.status, 401)
})

test('a file over 50 MB is a 413, and other operations still take 1 MiB', async () => {
  const large = await upload(demo, 'kind=students', new Uint8Array(50_000_001).fill(0x61))
  assert.deepEqual([large.status, large.body.code], [413, 'HUE00004'])
  assert.match(large.body.message, /larger than 50 MB/)
  const body = JSON.stringify({ mode: 'x'.repeat(1_100_000) })
  assert.equal((await demo.post(`${IMPORTS}/imp_x/apply`, body)).status, 413)
})

test('an Idempotency-Key stands for the file: the same again is the same import, another is refused', async () => {
  const key = { 'idempotency-key': 'import-1' }
  const file = csv([studentRow({ identifier: 'IDEM-1' })])
  const first = await upload(demo, 'kind=students', file, key)
  const again = await upload(demo, 'kind=students', file, key)
  assert.deepEqual([first.status, again.text], [201, first.text])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal((await upload(demo, 'kind=students', `${file}x`, key)).status, 422)
  assert.equal((await upload(group, 'kind=students', file, key)).status, 201)
})

test('no more than five imports of an institute are under way at once', async () => {
  const file = csv([studentRow({ identifier: 'FIVE-1' })])
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(demo, 'kind=students', file)))
  const made = answers.filter(answer => answer.status === 201).length
  assert.ok(made > 0 && made <= 5, String(made))
  // More files than a key may send at once are refused before that.
  assert.ok(answers.every(answer => answer.status === 201 || /HUE00002|RLE00000/.test(answer.body.code)))
  await bursar.sql(`update imports set state = 'cancelled', finished_at = now() where state = 'checking'`)
})

test('nothing of an upload is left on disk', () => {
  assert.deepEqual(
    readdirSync(tmpdir()).filter(name => name.startsWith('bursar-upload-')),
    [],
  )
})

test('a running Bursar does what was uploaded by itself', async t => {
  const whole = await startBursar(t, { BURSAR_ROLE: 'all' })
  const file = csv([studentRow({ identifier: 'SELF-1' })])
  const { body } = await upload(whole.demo, 'kind=students', file, { 'content-type': XLSX_TYPE })
  const { id } = body.data
  await waitFor(async () => (await getImport(whole.demo, id)).state === 'done', 'the import to be done')
  assert.equal((await getImport(whole.demo, id)).rows.applied, 1)
})
