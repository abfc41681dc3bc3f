import assert from 'node:assert/strict'
import { test } from 'node:test'
import writeExcelFile from 'write-excel-file/node'
import type { FileRow } from '../../../src/imports/files/columns.rules.ts'
import { readXlsx } from '../../../src/imports/files/xlsx.ts'
import { workbook, zip, type Parts } from './xlsx-support.ts'

/** What is read of spreadsheets, however a program wrote them. */
async function read(file: Buffer): Promise<FileRow[]> {
  const pieces = await Array.fromAsync(readXlsx(file))
  assert.ok(pieces.every(({ share }) => share > 0 && share <= 1))
  return pieces.flatMap(({ rows }) => rows)
}

const readParts = (parts: Parts): Promise<FileRow[]> => read(zip(parts))

async function cellsOf(sheet: string, rest?: Parameters<typeof workbook>[1]): Promise<unknown[]> {
  return (await readParts(workbook(`<row r="1">${sheet}</row>`, rest)))[0]?.cells.slice() ?? []
}

test('of a workbook the first sheet is read, wherever it lies, with the row numbers that people see', async () => {
  const rows = await readParts(
    workbook('<row r="2"><c r="B2"><v>5</v></c></row><row r="7"/><row><c><v>6</v></c></row>'),
  )
  assert.deepEqual(rows, [
    { rowNo: 2, cells: [null, 5] },
    { rowNo: 7, cells: [] },
    { rowNo: 8, cells: [6] },
  ])
})

const othersOf = async (parts: Parts): Promise<unknown> =>
  (await Array.fromAsync(readXlsx(zip(parts))))[0]?.otherSheets

test('further sheets that people see and that have cells are named, and a hidden first one is passed over', async () => {
  const parts = workbook('<row><c><v>5</v></c></row>')
  assert.deepEqual(await othersOf(parts), ['Two'])
  const other = 'xl/worksheets/other.xml'
  assert.deepEqual(await othersOf({ ...parts, [other]: '<worksheet><sheetData/></worksheet>' }), [])
  const book = parts['xl/workbook.xml'] ?? ''
  const hidden = { ...parts, 'xl/workbook.xml': book.replace('sheetId="7"', 'sheetId="7" state="hidden"') }
  assert.deepEqual(await readParts(hidden), [{ rowNo: 1, cells: [1] }])
  assert.deepEqual(await othersOf(hidden), [])
})

test('texts are read from the list of texts, in runs of several looks, and from the cell itself', async () => {
  const texts =
    '<si><t>R&amp;D &#2309;&#x915;</t></si><si><r><t xml:space="preserve">two </t></r><r><t>runs</t></r>' +
    '<rPh sb="0" eb="1"><t>sound</t></rPh></si><si><t/></si><si><t><![CDATA[<b>]]></t></si>'
  const cells = await cellsOf(
    '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>3</v></c>' +
      '<c t="inlineStr"><is><t>in</t><rPh><t>x</t></rPh></is></c><c t="str"><f>A1&amp;B1</f><v>result</v></c>',
    { texts },
  )
  assert.deepEqual(cells, ['R&D अक', 'two runs', '', '<b>', 'in', 'result'])
})

test('numbers, truth values and errors are what they are, and a formula without a result is blank', async () => {
  const cells = await cellsOf(
    '<c><v>1500.5</v></c><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#REF!</v></c><c><f>1+1</f></c><c><v>1e3</v></c>',
  )
  assert.deepEqual(cells, [1500.5, true, false, null, null, 1000])
})

const STYLES =
  '<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="[$&quot;Rs &quot;-4009]#,##0.00;[Red]&quot;days&quot;0"/>' +
  '<numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
  '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs>'

test('a number is a date when its format shows one, counted from 1900 or 1904', async () => {
  const sheet =
    '<c s="0"><v>46178</v></c><c s="1"><v>46178</v></c><c s="2"><v>46178.427083333336</v></c><c s="3"><v>12</v></c>'
  const cells = await cellsOf(`${sheet}<c t="d"><v>2026-06-05T10:15:00</v></c>`, { styles: STYLES })
  assert.deepEqual(cells, [
    46178,
    new Date('2026-06-05T00:00:00Z'),
    new Date('2026-06-05T10:15:00Z'),
    12,
    new Date('2026-06-05T10:15:00Z'),
  ])
  const bookPr = '<workbookPr date1904="1"/>'
  const [late] = await cellsOf('<c s="1"><v>44716</v></c>', { styles: STYLES, bookPr })
  assert.deepEqual(late, new Date('2026-06-05T00:00:00Z'))
})

test('names with a prefix, single quotes and brackets in values are read as any other', async () => {
  const parts = workbook('')
  parts['xl/worksheets/first.xml'] =
    `<?xml version='1.0'?><!-- a > b --><x:worksheet xmlns:x='urn:a>b'><x:sheetData><x:row r='3' note=">"><x:c r='B3'><x:v>4</x:v></x:c></x:row></x:sheetData></x:worksheet>\n`
  assert.deepEqual(await readParts(parts), [{ rowNo: 3, cells: [null, 4] }])
})

const BROKEN: [what: string, parts: Parts, words: RegExp][] = [
  ['has no first sheet', { 'xl/workbook.xml': '<workbook/>' }, /not an XLSX file/],
  [
    'ends in the middle',
    { ...workbook(''), 'xl/worksheets/first.xml': '<worksheet><sheetData><row' },
    /not an XLSX/,
  ],
  [
    'brings a document type',
    { ...workbook(''), 'xl/worksheets/first.xml': '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet/>' },
    /not an XLSX/,
  ],
  ['has rows out of order', workbook('<row r="3"/><row r="2"/>'), /not an XLSX/],
  [
    'names a text that is not there',
    workbook('<row r="2"><c r="C2" t="s"><v>5</v></c></row>'),
    /^Row 2 .* number 3,/,
  ],
  ['has a number that is none', workbook('<row r="4"><c r="A4"><v>x</v></c></row>'), /^Row 4 .* number 1,/],
]

test('a number format that would keep a regular expression busy for minutes is cut', async () => {
  const code = '['.repeat(900_000)
  const styles = `<numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`
  const began = process.cpuUsage()
  assert.deepEqual(await cellsOf('<c s="0"><v>5</v></c>', { styles }), [5])
  assert.ok(process.cpuUsage(began).user < 5_000_000)
})

const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Error)
  assert.equal(error.name, 'FileRefused')
  assert.match(error.message, words)
  return true
}

test('an entry that unpacks to more than the archive says is refused', async () => {
  const file = zip(workbook(`<row r="1"><c><v>1</v></c></row>${' '.repeat(100_000)}`))
  for (let at = file.indexOf('PK\u0001\u0002'); at >= 0; at = file.indexOf('PK\u0001\u0002', at + 1))
    file.writeUInt32LE(20, at + 24)
  await assert.rejects(read(file), refused(/not an XLSX/))
})

test('an archive of very many files is refused', async () => {
  const files = Object.fromEntries(Array.from({ length: 2_001 }, (_, no) => [`${no}.xml`, '<a/>']))
  await assert.rejects(readParts({ ...workbook('<row r="1"/>'), ...files }), refused(/not an XLSX/))
})

for (const [what, parts, words] of BROKEN) {
  test(`a spreadsheet that ${what} is refused with words`, async () => {
    await assert.rejects(readParts(parts), refused(words))
  })
}

test('bytes that are changed anywhere in a file are read or refused, never an accident', async () => {
  const file = zip(workbook('<row r="1"><c r="A1" t="s"><v>0</v></c></row>', { texts: '<si><t>a</t></si>' }))
  for (let at = 0; at < file.length; at += 3) {
    const spoilt = Buffer.from(file)
    spoilt[at] = (spoilt[at] ?? 0) ^ 0xff
    await read(spoilt).catch((error: Error) =>
      assert.equal(error.name, 'FileRefused', `${at}: ${error.stack}`),
    )
  }
})

test('what a program of today writes is read back', async () => {
  const written = [
    ['identifier', 'amount', 'new', 'day'],
    ['ADM-1', 1500.5, true, new Date('2026-06-05T00:00:00Z')],
  ]
  const cells = written.map(row =>
    row.map(value => ({ value, ...(value instanceof Date ? { type: Date, format: 'dd/mm/yyyy' } : {}) })),
  )
  const file = await writeExcelFile(cells as never).toBuffer()
  assert.deepEqual(
    (await read(file)).map(row => row.cells),
    written,
  )
})
