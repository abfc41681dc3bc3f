import assert from 'node:assert/strict'
import type { TestBursar } from '../../harness/bursar.ts'
import { worstStall } from '../../harness/processes/stalls.ts'
import { csv, finish, getImport, studentRow, upload, XLSX_TYPE, type File } from '../support.ts'
import { workbook, zip } from './xlsx-support.ts'

const HEADER = Object.keys(studentRow())
const letters = (no: number): string =>
  (no < 26 ? '' : letters(Math.floor(no / 26) - 1)) + String.fromCharCode(65 + (no % 26))
export const inline = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`
const HEAD = `<row r="1">${HEADER.map(inline).join('')}</row>`

export const book = (sheet: string, rest?: Parameters<typeof workbook>[1]): File =>
  new Uint8Array(zip(workbook(HEAD + sheet, rest)))
export const rows = (count: number, cells: string): string => `<row>${cells}</row>`.repeat(count)

const WIDE = Array.from({ length: 16_000 }, (_, no) => `<c r="${letters(no)}2"><v>1</v></c>`).join('')
const FORMAT = `<numFmts><numFmt numFmtId="164" formatCode="${'['.repeat(900_000)}"/></numFmts><cellXfs>${'<xf numFmtId="164"/>'.repeat(20_000)}</cellXfs>`

const wrongRow = (_: unknown, no: number): ReturnType<typeof studentRow> =>
  Object.fromEntries(HEADER.map(name => [name, `?${no}`.repeat(100)]))

/** Files that take long to read or hold much; a scale of 1 is about what a reader is allowed. */
export const worstFiles = (scale: number): Record<string, () => File> => ({
  'very many shared texts': () =>
    book(rows(10, inline('x')), { texts: '<si><t>a text of its own</t></si>'.repeat(1_000_000 * scale) }),
  'one long shared text in every cell': () =>
    book(rows(10_000 * scale, '<c t="s"><v>0</v></c>'.repeat(400)), {
      texts: `<si><t>${'x'.repeat(900_000)}</t></si>`,
    }),
  'tags nested deeply': () => book('<row>'.repeat(1_000_000 * scale)),
  'a number format of brackets, in every style': () => book(rows(10, inline('x')), { styles: FORMAT }),
  'sixteen thousand columns': () =>
    book(`<row r="2">${WIDE}</row>` + rows(200 * scale, '<c><v>1</v></c>'.repeat(2_000))),
  'a bomb of blank rows': () => book('<row/>'.repeat(10_000_000 * scale)),
  'a bomb of blanks': () => book(' '.repeat(180_000_000 * scale)),
  'a tag with very many attributes': () =>
    book(`<row ${Array.from({ length: 100_000 * scale }, (_, no) => `a${no}="1"`).join(' ')}/>`),
  'a CSV file of commas': () => `${HEADER.join(',')}\n${`${','.repeat(90_000)}\n`.repeat(500 * scale)}`,
  'a CSV file of long cells': () =>
    csv(Array.from({ length: 600 * scale }, () => studentRow({ address: ' x'.repeat(40_000) }))),
  'rows that are wrong in every column': () => csv(Array.from({ length: 5_000 * scale }, wrongRow)),
  'one student in every row': () => csv(Array.from({ length: 20_000 * scale }, () => studentRow())),
  'a student of their own in every row': () =>
    csv(
      Array.from({ length: 20_000 * scale }, (_, no) =>
        studentRow({ identifier: `MANY-${no}`, registration_id: `p-${no}` }),
      ),
    ),
  'a CSV file of quotation marks': () => `${HEADER.join(',')}\n${'"'.repeat(40_000_000 * scale)}`,
})

const MAX_STALL_MS = 50
const MAX_RATIO = 3

/**
 * Imports a file and fails if a request would have waited for it each time: what is compiled once is not its doing. A
 * machine that stops for longer by itself shows that on a harmless file, which is then the measure.
 */
export async function assertNoStall(bursar: TestBursar, file: File): Promise<void> {
  const seen: string[] = []
  for (let tries = 0; tries < 3; tries++) {
    const stall = await stallOf(bursar, file)
    if (stall < MAX_STALL_MS) return
    const harmless = await stallOf(bursar, HARMLESS)
    if (stall < MAX_RATIO * harmless) return
    seen.push(`${Math.round(stall)} ms beside ${Math.round(harmless)} ms of a harmless file`)
  }
  assert.fail(seen.join(', '))
}

const HARMLESS = csv(
  Array.from({ length: 2_000 }, (_, no) =>
    studentRow({ identifier: `PLAIN-${no}`, registration_id: `h-${no}` }),
  ),
)

async function stallOf(bursar: TestBursar, file: File): Promise<number> {
  const type = typeof file === 'string' ? 'text/csv' : XLSX_TYPE
  const { status, body, text } = await upload(bursar.demo, 'kind=students&mode=good', file, {
    'content-type': type,
  })
  assert.equal(status, 201, text)
  const stall = await worstStall(() => finish(bursar, body.data.id))
  assert.match((await getImport(bursar.demo, body.data.id)).state, /^(done|failed)$/)
  return stall
}
