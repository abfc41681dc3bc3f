import { unpack, type Entry } from './import-zip.ts'
import { attribute, XmlReader, type XmlListener } from './import-xml.ts'

/** What has to be known of a spreadsheet before its first sheet can be read. */
export type Workbook = {
  sheet: Entry
  texts: Texts
  /** By the number of a style: whether its numbers are shown as dates. */
  isDate: readonly boolean[]
  /** The days are counted from 1904 on. */
  is1904: boolean
}

const NO_LISTENER: XmlListener = { open: () => {}, close: () => {}, text: () => {} }

/** Null when something that a spreadsheet must have is not there. */
export async function openWorkbook(entries: readonly Entry[]): Promise<Workbook | null> {
  const find = (name: string): Entry | undefined => entries.find(entry => entry.name === name)
  const relations = await readRelations(find('xl/_rels/workbook.xml.rels'))
  const { relationId, is1904 } = await readBook(find('xl/workbook.xml'))
  const sheet = find(relations.find(relation => relation.id === relationId)?.path ?? '')
  if (sheet === undefined) return null
  const ofType = (type: string): string | undefined => relations.find(one => one.type === type)?.path
  const texts = await readTexts(find(ofType('sharedStrings') ?? 'xl/sharedStrings.xml'))
  const isDate = await readStyles(find(ofType('styles') ?? 'xl/styles.xml'))
  return { sheet, texts, isDate, is1904 }
}

/** Tells the listener of the file; answers after each piece how many bytes were read. */
export async function* readXml(entry: Entry, listener: XmlListener): AsyncGenerator<number> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const xml = new XmlReader(listener)
  let bytes = 0
  for await (const part of unpack(entry)) {
    xml.feed(decoder.decode(part, { stream: true }))
    bytes += part.length
    yield bytes
  }
  xml.feed(decoder.decode())
  xml.finish()
}

/** One that is not there says nothing. */
async function readWhole(entry: Entry | undefined, listener: Partial<XmlListener>): Promise<void> {
  if (entry === undefined) return
  await Array.fromAsync(readXml(entry, { ...NO_LISTENER, ...listener }))
}

type Relation = { id: string; type: string; path: string }

const idOf = attribute('Id')
const typeOf = attribute('Type')
const targetOf = attribute('Target')

async function readRelations(entry: Entry | undefined): Promise<Relation[]> {
  const relations: Relation[] = []
  await readWhole(entry, {
    open(name, attributes) {
      if (name !== 'Relationship') return
      const target = targetOf(attributes) ?? ''
      relations.push({
        id: idOf(attributes) ?? '',
        type: typeOf(attributes)?.split('/').at(-1) ?? '',
        path: target.startsWith('/') ? target.slice(1) : `xl/${target}`,
      })
    },
  })
  return relations
}

const relationIdOf = attribute('id')
const epochOf = attribute('date1904')

async function readBook(entry: Entry | undefined): Promise<{ relationId: string | null; is1904: boolean }> {
  let relationId: string | null = null
  let is1904 = false
  await readWhole(entry, {
    open(name, attributes) {
      if (name === 'sheet') relationId ??= relationIdOf(attributes) ?? null
      else if (name === 'workbookPr') is1904 = /^(1|true)$/.test(epochOf(attributes) ?? '')
    },
  })
  return { relationId, is1904 }
}

/** Very many short texts in little memory: as strings of their own they would take several times as much. */
class Texts {
  #bytes = Buffer.alloc(65_536)
  #ends = new Uint32Array(4_096)
  #count = 0

  add(text: string): void {
    const start = this.#endOf(this.#count - 1)
    const end = start + Buffer.byteLength(text)
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
async function readTexts(entry: Entry | undefined): Promise<Texts> {
  const texts = new Texts()
  let text = ''
  let isText = false
  let isSound = false
  await readWhole(entry, {
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
      if (isText && !isSound) text += part
    },
  })
  return texts
}

const formatIdOf = attribute('numFmtId')
const formatCodeOf = attribute('formatCode')

async function readStyles(entry: Entry | undefined): Promise<boolean[]> {
  const codes = new Map<string, string>()
  const formats: string[] = []
  let isCells = false
  await readWhole(entry, {
    open(name, attributes) {
      const id = formatIdOf(attributes) ?? '0'
      if (name === 'numFmt') codes.set(id, formatCodeOf(attributes) ?? '')
      else if (name === 'cellXfs') isCells = true
      else if (name === 'xf' && isCells) formats.push(id)
    },
    close(name) {
      if (name === 'cellXfs') isCells = false
    },
  })
  return formats.map(id => isDateFormat(Number(id), codes.get(id)))
}

/** The formats that every spreadsheet has without naming them. */
const BUILT_IN_DATES = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const

/** Days, months, years, hours or seconds, apart from colours, conditions and what is written as it is. */
function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return BUILT_IN_DATES.some(([first, last]) => id >= first && id <= last)
  const bare = code.replaceAll(/"[^"]*"|\\.|[_*]./gs, '').replaceAll(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
  return /[dmyhs]/i.test(bare)
}
