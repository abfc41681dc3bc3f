import {
  Archive,
  ArchiveBroken,
  openWorkbook,
  readXml,
  type Workbook,
  XmlBroken,
  attributeOf,
  type XmlAttributes,
  type XmlListener,
} from './workbook.ts'
import { addToCell, type Cell, FileRefused, type FileRow, type FileRows } from './columns.rules.ts'
import { ARCHIVE, ROW } from '../../platform/limits.rules.ts'
import { DAY_MS } from '../../platform/calendar.ts'

/**
 * Reads the first sheet of a spreadsheet. Held whole are the file as it was sent, packed, and its texts; the sheet itself
 * is unpacked and read piece by piece.
 */
export async function* readXlsx(bytes: Buffer, merged: readonly number[] = []): AsyncGenerator<FileRows> {
  try {
    const book = await openWorkbook(await Archive.open(bytes))
    if (book === null) throw new FileRefused(BROKEN)
    const { otherSheets } = book
    const merges = merged.length === 0 ? [] : await readMerges(book, merged)
    for await (const part of readSheet(book, merges)) yield { ...part, otherSheets }
  } catch (error) {
    throw explain(error)
  }
}

const BROKEN = 'This is not an XLSX file that can be read. Save it anew as XLSX, or as "CSV UTF-8".'

function explain(error: unknown): unknown {
  if (error instanceof CellBroken) {
    return new FileRefused(
      `Row ${error.row} has a cell, number ${error.column}, that cannot be read. ` +
        'Open the file in a spreadsheet program and save it, or save it as "CSV UTF-8".',
    )
  }
  const isBroken = error instanceof XmlBroken || error instanceof ArchiveBroken || isNotUtf8(error)
  return isBroken ? new FileRefused(BROKEN) : error
}

function isNotUtf8(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
}

/** A cell that makes no sense, where it stands. */
class CellBroken extends Error {
  override readonly name = 'CellBroken'
  readonly row: number
  readonly column: number

  constructor(row: number, column: number) {
    super(`the cell ${column} of row ${row}`)
    this.row = row
    this.column = column
  }
}

/** Cells of one column that are merged downwards: their text stands in the first of them. */
type Merge = { column: number; from: number; to: number }

/** Merges stand behind all rows of a sheet, so it is unpacked once more, without being understood, to know them before. */
async function readMerges(book: Workbook, columns: readonly number[]): Promise<Merge[]> {
  const merges: Merge[] = []
  let text = ''
  for await (const part of book.archive.unpack(book.sheet)) {
    text += part.toString('latin1')
    for (const [, ref = ''] of text.matchAll(/<(?:\w{1,20}:)?mergeCell ref="([A-Z0-9:]{5,30})"/g)) {
      const merge = mergeOf(ref)
      if (merge === null || !columns.includes(merge.column)) continue
      if (merges.length === ARCHIVE.merges)
        throw new FileRefused(
          'This spreadsheet has too many merged cells. Save it as "CSV UTF-8" and send that.',
        )
      merges.push(merge)
    }
    text = text.slice(Math.max(text.lastIndexOf('<'), text.length - LONGEST_MERGE))
  }
  return merges.toSorted((one, other) => one.from - other.from)
}

const LONGEST_MERGE = 80

/** Columns are counted from 0. Merges over several columns are titles or remarks. */
function mergeOf(ref: string): Merge | null {
  const found = /^([A-Z]{1,3})(\d{1,7}):\1(\d{1,7})$/.exec(ref)
  return found === null
    ? null
    : { column: columnOf(found[1] ?? '') - 1, from: Number(found[2]), to: Number(found[3]) }
}

const PIECE = 500

/** The rows of a sheet, some hundred at a time; no more of it is held. */
async function* readSheet(book: Workbook, merges: readonly Merge[]): AsyncGenerator<FileRows> {
  const sheet = new SheetListener(book, merges)
  for await (const bytes of readXml(book.archive, book.sheet, sheet)) {
    const share = Math.min(bytes / Math.max(book.sheet.uncompressedSize, 1), 1)
    if (sheet.rows.length >= PIECE) yield { rows: sheet.take(), share }
  }
  if (sheet.rows.length > 0) yield { rows: sheet.take(), share: 1 }
}

const DAYS_TO_1904 = 1_462
/** Day 0 of a spreadsheet. */
const SERIAL_START = Date.UTC(1899, 11, 30)

class SheetListener implements XmlListener {
  readonly #book: Workbook
  readonly #merges: readonly Merge[]
  #nextMerge = 0
  /** The merge that was begun last in each column, with its text. */
  readonly #open = new Map<number, { to: number; value: Cell }>()
  #rows: FileRow[] = []
  #isInside = false
  #rowNo = 0
  #cells: Cell[] = []
  #characters = 0
  #column = 0
  #type = 'n'
  #style = -1
  /** What is written in the cell; null while nothing is. */
  #value: string | null = null
  #isValue = false
  #isSound = false

  constructor(book: Workbook, merges: readonly Merge[]) {
    this.#book = book
    this.#merges = merges
  }

  get rows(): readonly FileRow[] {
    return this.#rows
  }

  take(): FileRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'sheetData') this.#isInside = true
    if (!this.#isInside) return
    if (name === 'c') this.#openCell(attributes)
    else if (name === 'v' || name === 't') this.#openValue()
    else if (name === 'row') this.#openRow(attributes)
    else if (name === 'rPh') this.#isSound = true
  }

  close(name: string): void {
    if (name === 'sheetData') this.#isInside = false
    if (!this.#isInside) return
    if (name === 'c') this.#closeCell()
    else if (name === 'v' || name === 't') this.#isValue = false
    else if (name === 'row') this.#closeRow()
    else if (name === 'rPh') this.#isSound = false
  }

  text(text: string): void {
    if (this.#isValue && !this.#isSound) this.#value = addToCell(this.#value ?? '', text)
  }

  #openRow(attributes: XmlAttributes): void {
    const number = Number(attributeOf(attributes, 'r') ?? this.#rowNo + 1)
    if (!Number.isInteger(number) || number <= this.#rowNo) throw new XmlBroken('its rows are out of order')
    if (number > ARCHIVE.rowNumber) throw new XmlBroken('it has a row beyond the last that a spreadsheet has')
    this.#rowNo = number
    this.#cells = []
    this.#characters = 0
    this.#column = 0
  }

  #closeRow(): void {
    const isBlank = this.#cells.every(cell => cell === null)
    for (let merge = this.#merges[this.#nextMerge]; merge !== undefined && merge.from <= this.#rowNo;) {
      const value = merge.from === this.#rowNo ? (this.#cells[merge.column] ?? null) : null
      this.#open.set(merge.column, { to: merge.to, value })
      merge = this.#merges[++this.#nextMerge]
    }
    for (const [column, { to, value }] of this.#open) {
      if (this.#rowNo > to) this.#open.delete(column)
      else if (!isBlank && value !== null && (this.#cells[column] ?? null) === null) {
        while (this.#cells.length < column) this.#cells.push(null)
        this.#cells[column] = value
      }
    }
    this.#rows.push({ rowNo: this.#rowNo, cells: this.#cells })
  }

  #openCell(attributes: XmlAttributes): void {
    const address = attributeOf(attributes, 'r')
    this.#column = address === undefined ? this.#column + 1 : columnOf(address)
    this.#type = attributeOf(attributes, 't') ?? 'n'
    this.#style = Number(attributeOf(attributes, 's') ?? -1)
    this.#value = null
  }

  /** A formula's last result is the value; the formula itself is not read. */
  #openValue(): void {
    this.#isValue = true
    this.#value ??= ''
  }

  #closeCell(): void {
    const value = this.#read()
    if (value === null) return
    // A short cell can name a long text of the list, over and over.
    if (typeof value === 'string') this.#characters += value.length
    if (this.#characters > ROW.characters)
      throw new FileRefused(
        `Row ${this.#rowNo} cannot be read: it has more than ${ROW.characters} characters.`,
      )
    const column = Math.min(this.#column, ROW.columns)
    while (this.#cells.length < column - 1) this.#cells.push(null)
    this.#cells[column - 1] = value
  }

  #read(): Cell {
    const text = this.#value
    if (text === null || text === '') return null
    switch (this.#type) {
      case 's':
        return this.#book.texts.at(Number(text)) ?? this.#refuse()
      case 'str':
      case 'inlineStr':
        return text
      case 'b':
        return text === '1' || text === '0' ? text === '1' : this.#refuse()
      // A formula that came to nothing.
      case 'e':
        return null
      case 'd':
        return new Date(/Z|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`)
      case 'n':
        return this.#readNumber(Number(text))
      default:
        return this.#refuse()
    }
  }

  #readNumber(value: number): Cell {
    if (!Number.isFinite(value)) return this.#refuse()
    if (this.#book.isDate[this.#style] !== true) return value
    const days = this.#book.is1904 ? value + DAYS_TO_1904 : value
    return new Date(SERIAL_START + Math.round(days * DAY_MS))
  }

  #refuse(): never {
    throw new CellBroken(this.#rowNo, this.#column)
  }
}

const LETTER_BEFORE_A = 64

/** C of C7 is 3. */
function columnOf(address: string): number {
  const [letters] = /^[A-Z]{1,3}/.exec(address) ?? ['A']
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - LETTER_BEFORE_A, 0)
}
