import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { ARCHIVE } from '../../platform/limits.rules.ts'
import { addToCell, FileRefused } from './columns.rules.ts'
import { SaxesParser } from 'saxes'

/** What has to be known of a spreadsheet before its first sheet can be read. */
export type Workbook = {
  archive: Archive
  sheet: Entry
  texts: Texts
  /** Whether numbers of each style are shown as dates, by the style's number. */
  isDate: readonly boolean[]
  /** The days are counted from 1904 on. */
  is1904: boolean
  /** Names of further sheets that people see and that have cells, of the first fifty. */
  otherSheets: string[]
}

const NO_LISTENER: XmlListener = { open: () => {}, close: () => {}, text: () => {} }

/** Null when something that a spreadsheet must have is not there. */
export async function openWorkbook(archive: Archive): Promise<Workbook | null> {
  const read = (path: string, listener: Partial<XmlListener>): Promise<void> =>
    readWhole(archive, path, listener)
  const relations = await readRelations(read)
  const { sheets, is1904 } = await readBook(read)
  const entryOf = ({ relationId }: Sheet): Entry | undefined =>
    archive.find(relations.find(relation => relation.id === relationId)?.path ?? '')
  const [first, ...others] = sheets
  const sheet = first === undefined ? undefined : entryOf(first)
  if (sheet === undefined) return null
  const otherSheets: string[] = []
  for (const other of others) {
    const entry = entryOf(other)
    if (entry !== undefined && (await hasCells(archive, entry))) otherSheets.push(other.name)
  }
  const pathOf = (type: string): string | undefined => relations.find(one => one.type === type)?.path
  const texts = await readTexts(read, pathOf('sharedStrings') ?? 'xl/sharedStrings.xml')
  const isDate = await readStyles(read, pathOf('styles') ?? 'xl/styles.xml')
  return { archive, sheet, texts, isDate, is1904, otherSheets }
}

/** Tells the listener of the document; answers after each piece how many bytes were read. */
export async function* readXml(
  archive: Archive,
  entry: Entry,
  listener: XmlListener,
): AsyncGenerator<number> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const xml = new XmlReader(listener)
  let bytes = 0
  for await (const part of archive.unpack(entry)) {
    xml.feed(decoder.decode(part, { stream: true }))
    bytes += part.length
    yield bytes
  }
  xml.feed(decoder.decode())
  xml.finish()
}

type ReadWhole = (path: string, listener: Partial<XmlListener>) => Promise<void>

/** One that is not there says nothing. */
async function readWhole(archive: Archive, path: string, listener: Partial<XmlListener>): Promise<void> {
  const entry = archive.find(path)
  if (entry === undefined) return
  for await (const _bytes of readXml(archive, entry, { ...NO_LISTENER, ...listener }));
}

type Relation = { id: string; type: string; path: string }

async function readRelations(read: ReadWhole): Promise<Relation[]> {
  const relations: Relation[] = []
  await read('xl/_rels/workbook.xml.rels', {
    open(name, attributes) {
      if (name !== 'Relationship') return
      if (relations.length === ARCHIVE.relations) throw tooLarge()
      const target = attributeOf(attributes, 'Target') ?? ''
      relations.push({
        id: attributeOf(attributes, 'Id') ?? '',
        type: attributeOf(attributes, 'Type')?.split('/').at(-1) ?? '',
        path: target.startsWith('/') ? target.slice(1) : `xl/${target}`,
      })
    },
  })
  return relations
}

type Sheet = { relationId: string; name: string }

const MOST_SHEETS = 50
const SHEET_NAME = 31

/** The sheets in their order; hidden ones only if there are no others. */
async function readBook(read: ReadWhole): Promise<{ sheets: Sheet[]; is1904: boolean }> {
  const seen: Sheet[] = []
  const hidden: Sheet[] = []
  let is1904 = false
  await read('xl/workbook.xml', {
    open(name, attributes) {
      if (name === 'sheet') {
        const into = (attributeOf(attributes, 'state') ?? 'visible') === 'visible' ? seen : hidden
        const sheetName = (attributeOf(attributes, 'name') ?? '').slice(0, SHEET_NAME)
        if (into.length < MOST_SHEETS)
          into.push({ relationId: attributeOf(attributes, 'id') ?? '', name: sheetName })
      } else if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributeOf(attributes, 'date1904') ?? '')
    },
  })
  return { sheets: seen.length > 0 ? seen : hidden, is1904 }
}

/** Looks at the beginning of a sheet only. */
async function hasCells(archive: Archive, entry: Entry): Promise<boolean> {
  try {
    for await (const part of archive.unpack(entry))
      return /<(?:\w{1,20}:)?c[ >]/.test(part.toString('latin1'))
    return false
  } catch (error) {
    // What is not read may be broken.
    if (error instanceof ArchiveBroken) return false
    throw error
  }
}

/** Very many short texts in little memory: as strings of their own they would take several times as much. */
class Texts {
  #bytes = Buffer.alloc(65_536)
  #ends = new Uint32Array(4_096)
  #count = 0

  add(text: string): void {
    const start = this.#endOf(this.#count - 1)
    const end = start + Buffer.byteLength(text)
    if (end > ARCHIVE.textBytes || this.#count === ARCHIVE.texts) throw tooLarge()
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.max(end, start * 2))
    if (this.#count === this.#ends.length) {
      const ends = new Uint32Array(this.#count * 2)
      ends.set(this.#ends)
      this.#ends = ends
    }
    this.#bytes.write(text, start)
    this.#ends[this.#count++] = end
  }

  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined
    return this.#bytes.toString('utf8', this.#endOf(index - 1), this.#endOf(index))
  }

  #endOf(index: number): number {
    return this.#ends[index] ?? 0
  }
}

/** A text may stand in several runs of different looks; how it is pronounced is no part of it. */
async function readTexts(read: ReadWhole, path: string): Promise<Texts> {
  const texts = new Texts()
  let text = ''
  let isText = false
  let isSound = false
  await read(path, {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 't') isText = true
      else if (name === 'rPh') isSound = true
    },
    close(name) {
      if (name === 'si') texts.add(text)
      else if (name === 't') isText = false
      else if (name === 'rPh') isSound = false
    },
    text(part) {
      if (isText && !isSound) text = addToCell(text, part)
    },
  })
  return texts
}

async function readStyles(read: ReadWhole, path: string): Promise<boolean[]> {
  const codes = new Map<string, string>()
  const known = new Map<string, boolean>()
  const isDate: boolean[] = []
  let isCells = false
  await read(path, {
    open(name, attributes) {
      if (codes.size + isDate.length > ARCHIVE.styles) throw tooLarge()
      const id = attributeOf(attributes, 'numFmtId') ?? '0'
      if (name === 'numFmt') codes.set(id, attributeOf(attributes, 'formatCode') ?? '')
      else if (name === 'cellXfs') isCells = true
      else if (name === 'xf' && isCells)
        isDate.push(known.getOrInsertComputed(id, () => isDateFormat(Number(id), codes.get(id))))
    },
    close(name) {
      if (name === 'cellXfs') isCells = false
    },
  })
  return isDate
}

/** The formats that every spreadsheet has without naming them. */
const BUILT_IN_DATES = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const

/**
 * Days, months, years, hours or seconds, apart from colours, conditions and what is written as it is. The expressions
 * take quadratic time, so a format is cut where a spreadsheet program would end it.
 */
function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return BUILT_IN_DATES.some(([first, last]) => id >= first && id <= last)
  const bare = code
    .slice(0, ARCHIVE.formatCharacters)
    .replaceAll(/"[^"]*"|\\.|[_*]./gs, '')
    .replaceAll(/\[(?!(?:h+|m+|s+)\])[^[\]]*\]/gi, '')
  return /[dmyhs]/i.test(bare)
}

function tooLarge(): FileRefused {
  return new FileRefused('This spreadsheet is too large. Save it as "CSV UTF-8" and send that.')
}

/** What the archive or its XML is not; the reader of the file puts it into words for a person. */
export class ArchiveBroken extends Error {
  override readonly name = 'ArchiveBroken'
}

/**
 * The files of a ZIP archive. yauzl fails as soon as an entry unpacks to more than the directory claims, so a small
 * archive cannot grow: the claims alone decide whether it is too large.
 */
export class Archive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  static async open(bytes: Buffer): Promise<Archive> {
    const { zip, entries } = await readDirectory(bytes)
    const claimed = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
    // Not for memory, of which a large one takes little more than a small one, but for the time that it takes.
    if (claimed > ARCHIVE.unpackedBytes) throw tooLarge()
    return new Archive(zip, new Map(entries.map(entry => [entry.fileName, entry])))
  }

  find(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  /** Piece by piece. */
  async *unpack(entry: Entry): AsyncGenerator<Buffer> {
    try {
      for await (const part of await this.#zip.openReadStreamPromise(entry)) yield part as Buffer
    } catch (error) {
      throw new ArchiveBroken('an entry cannot be unpacked', { cause: error })
    }
  }
}

async function readDirectory(bytes: Buffer): Promise<{ zip: ZipFile; entries: Entry[] }> {
  try {
    const zip = await fromBufferPromise(bytes)
    if (zip.entryCount > ARCHIVE.entries) throw new ArchiveBroken('it has too many entries')
    return { zip, entries: await Array.fromAsync(zip.eachEntry()) }
  } catch (error) {
    throw new ArchiveBroken('its directory cannot be read', { cause: error })
  }
}

export type XmlAttributes = Readonly<Record<string, string>>

/** Called as the document is read. Names come without their namespace prefix. */
export type XmlListener = {
  open(name: string, attributes: XmlAttributes): void
  close(name: string): void
  text(text: string): void
}

export class XmlBroken extends Error {
  override readonly name = 'XmlBroken'
}

/**
 * Reads XML in whatever pieces it comes. saxes is strict and expands no entities but XML's own; it has no limits, so
 * they are set here: how long a tag or a text may be, how deep tags may be nested, and no document type.
 */
export class XmlReader {
  readonly #parser = new SaxesParser()
  #lastEventAt = 0
  #depth = 0

  constructor(listener: XmlListener) {
    const parser = this.#parser
    const text = (value: string): void => {
      this.#lastEventAt = parser.position
      listener.text(value)
    }
    parser.on('opentag', ({ name, attributes }) => {
      this.#lastEventAt = parser.position
      if (++this.#depth > ARCHIVE.depth) throw new XmlBroken('its tags are nested too deeply')
      listener.open(localName(name), attributes)
    })
    parser.on('closetag', ({ name }) => {
      this.#lastEventAt = parser.position
      this.#depth--
      listener.close(localName(name))
    })
    parser.on('text', text)
    parser.on('cdata', text)
    parser.on('doctype', () => {
      throw new XmlBroken('a document type is not read')
    })
    parser.on('error', ({ message }) => {
      throw new XmlBroken(message)
    })
  }

  feed(part: string): void {
    this.#parser.write(part)
    if (this.#parser.position - this.#lastEventAt > ARCHIVE.markupCharacters)
      throw new XmlBroken('something does not end')
  }

  finish(): void {
    this.#parser.close()
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** One attribute, whatever its prefix; undefined when it is not there. */
export function attributeOf(attributes: XmlAttributes, name: string): string | undefined {
  const direct = attributes[name]
  if (direct !== undefined) return direct
  for (const key in attributes) if (localName(key) === name) return attributes[key]
  return undefined
}
