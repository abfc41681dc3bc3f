import { CsvError, parse } from 'csv-parse'
import { ROW } from '../../platform/limits.rules.ts'
import { addToCell, FileRefused, type FileRow, type FileRows } from './columns.rules.ts'

const PIECE_BYTES = 65_536

/** Piece by piece, however large the parts are: the rows of one are held at a time. */
export async function* readCsv(parts: readonly Buffer[]): AsyncGenerator<FileRows> {
  const totalBytes = parts.reduce((sum, part) => sum + part.length, 0)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let csv: CsvReader | null = null
  let bytes = 0
  for (const part of inPieces(parts)) {
    if (bytes === 0) refuseOthers(part)
    bytes += part.length
    const text = decode(decoder, part)
    csv ??= new CsvReader(delimiterOf(text))
    csv.countCells(text)
    const rows = await csv.feed(part)
    if (rows.length > 0) yield { rows, share: bytes / totalBytes }
  }
  decode(decoder, null)
  if (csv === null) return
  const rows = await csv.finish()
  if (rows.length > 0) yield { rows, share: 1 }
}

const OTHER_FILES: readonly (readonly [string, string])[] = [
  [
    '\u00D0\u00CF\u0011\u00E0',
    'This is a file of an old Excel (.xls), or one with a password. Open it, choose "Save as" and XLSX, without a password, and send that.',
  ],
  ['%PDF', 'This is a PDF. Send the spreadsheet from which it was made, as XLSX or CSV.'],
]

function refuseOthers(part: Buffer): void {
  const head = part.toString('latin1', 0, 4)
  const other = OTHER_FILES.find(([mark]) => mark === head)
  if (other !== undefined) throw new FileRefused(other[1])
}

function* inPieces(parts: readonly Buffer[]): Generator<Buffer> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES)
}

function decode(decoder: TextDecoder, part: Buffer | null): string {
  try {
    return part === null ? decoder.decode() : decoder.decode(part, { stream: true })
  } catch {
    throw new FileRefused(
      'The file is not text in UTF-8. In a spreadsheet program save it as "CSV UTF-8", or send the XLSX file itself.',
    )
  }
}

const LOOKED_AT = 40

/** The one that most of the first lines have, and most often: a title or an amount may have another one. */
function delimiterOf(text: string): string {
  const lines = text.split(/[\r\n]+/, LOOKED_AT)
  const count = (delimiter: string): number =>
    lines.reduce((sum, line) => sum + Math.min(line.split(delimiter).length - 1, ROW.columns), 0)
  const has = (delimiter: string): number => lines.filter(line => line.includes(delimiter)).length
  return [',', ';', '\t'].toSorted((one, two) => has(two) - has(one) || count(two) - count(one))[0] ?? ','
}

/** Cuts a row at the most columns; the first filled cell beyond them stays as one cell too many, as in a spreadsheet. */
function boundColumns(cells: string[]): string[] {
  if (cells.length <= ROW.columns) return cells.map(boundCell)
  const surplus = cells.slice(ROW.columns - 1).find(cell => cell.trim() !== '') ?? ''
  return [...cells.slice(0, ROW.columns - 1), surplus].map(boundCell)
}

function boundCell(cell: string): string {
  return addToCell('', cell)
}

const LINE_END = /[\r\n]/

/** The library's parser, fed and emptied by hand: asking it record by record takes half as long again. */
class CsvReader {
  readonly #parser
  #rows: FileRow[] = []
  #rowNo = 0
  readonly #delimiter: string
  /** Delimiters since the last end of a line. */
  #delimiters = 0

  constructor(delimiter: string) {
    this.#delimiter = delimiter
    this.#parser = parse({
      delimiter,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: ROW.characters,
    })
    this.#parser.on('readable', () => this.#take())
    // The caller that feeds it gets the error.
    this.#parser.on('error', () => {})
  }

  /** The parser's limit of a record does not count delimiters, and each takes the memory of a cell. */
  countCells(text: string): void {
    for (const [index, line] of text.split(LINE_END).entries()) {
      if (index > 0) this.#delimiters = 0
      this.#delimiters += line.split(this.#delimiter).length - 1
      if (this.#delimiters > ROW.characters)
        throw new FileRefused(`A row has more than ${ROW.characters} cells. Is this a file of rows?`)
    }
  }

  feed(part: Buffer): Promise<FileRow[]> {
    return this.#run(done => this.#parser.write(part, done))
  }

  finish(): Promise<FileRow[]> {
    return this.#run(done => {
      this.#parser.on('end', () => done(null))
      this.#parser.on('error', done)
      this.#parser.end()
    })
  }

  async #run(act: (done: (error: Error | null | undefined) => void) => void): Promise<FileRow[]> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    act(error => (error ? reject(error) : resolve()))
    try {
      await promise
    } catch (error) {
      throw this.#explain(error)
    }
    this.#take()
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  #take(): void {
    for (let cells = this.#parser.read() as string[] | null; cells !== null; cells = this.#parser.read())
      this.#rows.push({ rowNo: ++this.#rowNo, cells: boundColumns(cells) })
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof CsvError)) return error
    this.#take()
    const row = `Row ${this.#rowNo + 1} cannot be read`
    switch (error.code) {
      case 'CSV_QUOTE_NOT_CLOSED':
        return new FileRefused(`${row}: a quotation mark opens a cell and none closes it.`)
      case 'CSV_MAX_RECORD_SIZE':
        return new FileRefused(
          `${row}: it has more than ${ROW.characters} characters. Is a quotation mark left open?`,
        )
      default:
        return new FileRefused(`${row}: it is not well-formed CSV.`)
    }
  }
}
