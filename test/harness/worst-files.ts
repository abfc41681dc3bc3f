import { deflateRawSync } from 'node:zlib'
import {
  ARCHIVE,
  FILES,
  FORM,
  JSON_BODY,
  ROW,
  ROW_FILES,
  type FileKind,
  type RowFileKind,
} from '../../src/platform/limits.rules.ts'
import { workbook, zip } from '../imports/files/xlsx-support.ts'
import type { TestBursar } from './bursar.ts'

/**
 * The worst that somebody can send to a route that takes a file: for each kind of file and each parser one that is just
 * within each limit, and one just beyond it. `WORST_FILES` has an entry for every kind of the table of limits, and every
 * route that takes a file names its kind, so a new kind does not compile without its worst files.
 */
export type WorstFile = {
  /** Which limit of which parser. */
  name: string
  mediaType: string
  bytes: () => Buffer<ArrayBuffer>
  /** What it is answered, or what its import ends with; null: it is taken, whatever its rows say. */
  refusal: RegExp | null
}

const CSV = 'text/csv'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const times = (part: string, tail: string, limit: number = JSON_BODY.bytes): string =>
  part.repeat(Math.floor((limit - 20 - tail.length) / part.length)) + tail

/** JSON that takes longest to parse; every route that takes no file takes it, or refuses it. */
export const WORST_BODIES: Readonly<Record<string, () => string>> = {
  'very many empty lists': () => `{"a":[${times('[],', '1')}]}`,
  'very many shapes': () =>
    `{"a":[${Array.from({ length: 90_000 }, (_, no) => `{"${no.toString(36)}":1}`).join(',')}]}`,
  'very many fields': () =>
    `{${Array.from({ length: 90_000 }, (_, no) => `"${no.toString(36)}x":1`).join(',')}}`,
  'lists nested deeply': () => `{"a":${times('[', '')}`,
  'very many numbers': () => `{"a":[${times('1,', '1')}]}`,
  'one text of escapes': () => `{"a":"${times(String.raw`\u0041`, '')}"}`,
  'as many values as may be': () => `{"a":[${'{},'.repeat(9_900)}1]}`,
}

/** How a kind of file heads its columns, and a row of it that is read as far as any. */
type Shape = { titles: readonly string[]; row: (no: number) => readonly string[] }

const student = (no: number): string[] => [`W-${no}`, `Child ${no}`, '5', '9876543210']
const REFERENCES = Array.from({ length: 40 }, (_, no) => `UTR${900_000_000 + no}`).join(' ')

const SHAPES: Record<RowFileKind, Shape> = {
  import: {
    titles: ['registration_id', 'identifier', 'fullname', 'grade'],
    row: no => [`parent-${no}`, ...student(no).slice(0, 3)],
  },
  roster: { titles: ['identifier', 'fullname', 'grade', 'primary_contact_number'], row: student },
  links: {
    titles: ['name', 'phone', 'email', 'component_type', 'amount'],
    row: no => [`Payer ${no}`, '9876543210', 'payer@example.in', 'TUITION_FEE', '100'],
  },
  structure: {
    titles: ['grade', 'next_grade', 'component_type', 'fee_amount'],
    row: no => [`G${no}`, `G${no + 1}`, 'TUITION_FEE', '100'],
  },
  statement: {
    titles: ['Date', 'Narration', 'Ref No', 'Debit', 'Credit', 'Balance'],
    row: no => ['16/11/2026', `NEFT ${no}`, `REF${100_000_000 + no}`, '', '500.00', ''],
  },
}

const csvOf = (rows: Iterable<readonly string[]>): Buffer<ArrayBuffer> =>
  Buffer.from([...rows].map(cells => cells.join(',')).join('\n'))

const inline = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`
const rowOf = (cells: readonly string[]): string => `<row>${cells.map(inline).join('')}</row>`

function xlsxOf(titles: readonly string[], sheet: string, texts = ''): Buffer<ArrayBuffer> {
  return Buffer.from(zip(workbook(rowOf(titles) + sheet, { texts })))
}

function* many<One>(count: number, make: (no: number) => One): Generator<One> {
  for (let no = 0; no < count; no++) yield make(no)
}

function csv(name: string, rows: () => Iterable<readonly string[]>, refusal: RegExp | null): WorstFile {
  return { name: `CSV ${name}`, mediaType: CSV, bytes: () => csvOf(rows()), refusal }
}

function xlsx(name: string, bytes: () => Buffer<ArrayBuffer>, refusal: RegExp | null): WorstFile {
  return { name: `XLSX ${name}`, mediaType: XLSX, bytes, refusal }
}

function rowFiles(kind: RowFileKind): WorstFile[] {
  const { titles, row } = SHAPES[kind]
  const limits = ROW_FILES[kind]
  const beyond = (what: 'rows' | 'cells' | 'characters'): RegExp =>
    new RegExp(`more than ${limits[what]} ${what}`)
  const width = Math.min(ROW.columns, 100)
  const wide = (no: number): string[] => [...row(no), ...many(width - titles.length, () => 'x')]
  const head = [...titles, ...many(width - titles.length, no => `x${no}`)]
  const wideRows = Math.floor(limits.cells / width) - 1
  const long = 'x'.repeat(ROW.cellCharacters)
  const longRows = Math.floor(limits.characters / (10 * long.length))
  const named = `<row>${inline('1')}${'<c t="s"><v>0</v></c>'.repeat(10)}</row>`
  const texts = `<si><t>${'y'.repeat(100_000)}</t></si>`
  return [
    csv('of all its rows', () => [titles, ...many(limits.rows, row)], null),
    csv('of a row too many', () => [titles, ...many(limits.rows + 1, row)], beyond('rows')),
    csv(
      'of one quotation mark and all its bytes',
      () => [['"'.padEnd(limits.bytes, 'x')]],
      /more than|quotation/,
    ),
    csv('of a byte too many', () => [['x'.repeat(limits.bytes + 1)]], /larger than/),
    csv('of commas', () => [titles, [','.repeat(ROW.characters + 1)]], /cells|characters/),
    xlsx(
      'of all its rows',
      () => xlsxOf(titles, [...many(limits.rows, no => rowOf(row(no)))].join('')),
      null,
    ),
    xlsx('of all its cells', () => xlsxOf(head, [...many(wideRows, no => rowOf(wide(no)))].join('')), null),
    xlsx('of a row of cells too many', () => xlsxOf(head, rowOf(wide(0)).repeat(wideRows + 2)), /cells|rows/),
    xlsx('of one long text in every cell', () => xlsxOf(titles, named.repeat(longRows - 1), texts), null),
    xlsx(
      'of one long text in too many cells',
      () => xlsxOf(titles, named.repeat(longRows + 1), texts),
      beyond('characters'),
    ),
    xlsx('of blanks', () => xlsxOf(titles, ' '.repeat(ARCHIVE.unpackedBytes - 10_000)), /not an XLSX file/),
    xlsx('that unpacks to too much', () => xlsxOf(titles, ' '.repeat(ARCHIVE.unpackedBytes)), /too large/),
    xlsx(
      'of texts that nobody names',
      () => xlsxOf(titles, rowOf(row(0)), '<si><t>a</t></si>'.repeat(1_000_000)),
      null,
    ),
    xlsx('that is broken', () => Buffer.from(`PK\u0003\u0004${'x'.repeat(1_000)}`), /not an XLSX file/),
  ]
}

const MT940_HEAD = ':20:START\n:25:HDFC/5010\n:28C:1/1\n:60F:C261115INR100000,00\n'
const mt940 = (no: number): string =>
  `:61:2611161116C500,00NTRFUTR${100_000_000 + no}//B${no}\n:86:NEFT ${no}\n`

function mt940Of(count: number, line: (no: number) => string): Buffer<ArrayBuffer> {
  return Buffer.from(MT940_HEAD + [...many(count, line)].join(''))
}

function mt940File(name: string, bytes: () => Buffer<ArrayBuffer>, refusal: RegExp | null): WorstFile {
  return { name: `MT940 ${name}`, mediaType: 'text/plain', bytes, refusal }
}

const { rows, bytes } = ROW_FILES.statement
const full = (each: string): number => Math.floor((bytes - MT940_HEAD.length) / each.length)

const naming = (no: number): string => `${mt940(no).trimEnd()} ${REFERENCES}\n`

const MT940_FILES = [
  mt940File('of all its rows', () => mt940Of(rows, mt940), null),
  mt940File(
    'of the shortest rows that fit',
    () => mt940Of(full(':61:x\n'), () => ':61:x\n'),
    /more than 20000 rows/,
  ),
  mt940File('of lines that name very many references', () => mt940Of(full(naming(10_000)), naming), null),
  mt940File(
    'of one line with all its bytes behind it',
    () => mt940Of(1, () => mt940(1) + 'x\n'.repeat(full('x\n') - 100)),
    null,
  ),
  mt940File(
    'of one field that does not end',
    () => mt940Of(1, () => `:86:${'x'.repeat(bytes - 200)}`),
    /No line|^$/,
  ),
]

const png = (size: number, body: Buffer): Buffer<ArrayBuffer> => {
  const header = Buffer.alloc(25)
  header.writeUInt32BE(13, 0)
  header.write('IHDR', 4)
  header.writeUInt32BE(size, 8)
  header.writeUInt32BE(size, 12)
  header.writeUInt8(8, 16)
  header.writeUInt8(6, 17)
  const data = Buffer.alloc(8)
  data.writeUInt32BE(body.length, 0)
  data.write('IDAT', 4)
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    mark,
    header,
    data,
    body,
    Buffer.alloc(8),
    Buffer.from('IEND\u0000\u0000\u0000\u0000'),
  ])
}

const picture = (name: string, make: () => Buffer<ArrayBuffer>, refusal: RegExp | null): WorstFile => {
  return { name: `PNG ${name}`, mediaType: 'image/png', bytes: make, refusal }
}

/** A picture that is as large as its limits let it be and unpacks to as much as it can. */
function logoFiles(): WorstFile[] {
  const { bytes: limit } = FILES.logo
  return [
    picture(
      'of 65,535 pixels a side',
      () => png(65_535, deflateRawSync(Buffer.alloc(1_000))),
      /pixels|PNG|cut off/,
    ),
    picture('of all its bytes', () => png(2_000, Buffer.alloc(limit - 100, 1)), /./),
    picture('of a byte too many', () => png(10, Buffer.alloc(limit, 1)), /larger than/),
  ]
}

const pdf = (name: string, size: number, refusal: RegExp | null): WorstFile => {
  return {
    name: `PDF ${name}`,
    mediaType: 'application/pdf',
    bytes: () => Buffer.from('%PDF-1.7\n'.padEnd(size - 6, 'x') + '%%EOF\n'),
    refusal,
  }
}

function letterFiles(): WorstFile[] {
  const { bytes: limit } = FILES.letter
  return [pdf('of all its bytes', limit, null), pdf('of a byte too many', limit + 1, /larger than/)]
}

const WORST_FORMS: Readonly<Record<string, () => string>> = {
  'very many fields': () => times('a=1&', '', FORM.bytes),
  'one long field': () => `a=${times('%41', '', FORM.bytes)}`,
}

const asFiles = (
  bodies: Readonly<Record<string, () => string>>,
  what: string,
  mediaType: string,
): WorstFile[] =>
  Object.entries(bodies).map(([name, make]) => ({
    name: `${what} of ${name}`,
    mediaType,
    bytes: () => Buffer.from(make()),
    refusal: null,
  }))

const takesBody = ({ method }: { method: string }): boolean => method !== 'GET'

/** A route that takes bytes: a kind of file, JSON, or a form of a page (callbacks are JSON, and stand among pages). */
export type ByteRoute = { method: string; url: string; takes: FileKind | 'json' | 'form'; limit: number }

/** Every route that takes a body, by what the server itself says of them: a new one is among them from its first day. */
export function byteRoutes({ app: { routes, pages } }: TestBursar): ByteRoute[] {
  return [
    ...routes.filter(takesBody).map(({ method, url, file }) => ({
      method,
      url,
      takes: file ?? ('json' as const),
      limit: file === null ? JSON_BODY.bytes : FILES[file].bytes,
    })),
    ...pages
      .filter(takesBody)
      .map(({ method, url, bodyLimit }) => ({ method, url, takes: 'form' as const, limit: bodyLimit })),
  ]
}

/** The worst that can be sent to such a route. */
export function worstOf({ takes }: Pick<ByteRoute, 'takes'>): readonly WorstFile[] {
  const json = asFiles(WORST_BODIES, 'JSON', 'application/json')
  if (takes === 'json') return json
  if (takes === 'form') return [...asFiles(WORST_FORMS, 'form', 'application/x-www-form-urlencoded'), ...json]
  return WORST_FILES[takes]
}

export const WORST_FILES: Readonly<Record<FileKind, readonly WorstFile[]>> = {
  import: rowFiles('import'),
  roster: rowFiles('roster'),
  links: rowFiles('links'),
  structure: rowFiles('structure'),
  statement: [...rowFiles('statement'), ...MT940_FILES],
  logo: logoFiles(),
  letter: letterFiles(),
}
