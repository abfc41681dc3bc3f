/** What an XML file says, told as it is read. Names come without their prefix, attributes as they are written. */
export type XmlListener = {
  open(name: string, attributes: string): void
  close(name: string): void
  text(text: string): void
}

export class XmlBroken extends Error {
  override readonly name = 'XmlBroken'
}

/** Longer than anything in a spreadsheet: a cell has at most 32,767 characters. */
const LONGEST = 1_000_000
const [OPENING, SLASH, MARK, QUESTION, DOUBLE, SINGLE, CLOSING] = [60, 47, 33, 63, 34, 39, 62] as const

/**
 * Reads XML in whatever pieces it comes, and holds no more than what is begun and not ended. It knows no entities but
 * XML's own and refuses a document type, so a small file cannot grow into a large one here.
 */
export class XmlReader {
  readonly #listener: XmlListener
  #rest = ''

  constructor(listener: XmlListener) {
    this.#listener = listener
  }

  feed(part: string): void {
    const text = this.#rest + part
    let at = 0
    for (;;) {
      const tag = text.indexOf('<', at)
      const end = tag < 0 ? -1 : endOf(text, tag)
      if (end < 0) break
      if (tag > at) this.#listener.text(decode(text.slice(at, tag)))
      this.#tell(text, tag, end)
      at = end
    }
    this.#rest = text.slice(at)
    if (this.#rest.length > LONGEST) throw new XmlBroken('something does not end')
  }

  finish(): void {
    if (this.#rest.trim() !== '') throw new XmlBroken('it ends in the middle')
  }

  #tell(text: string, tag: number, end: number): void {
    const second = text.charCodeAt(tag + 1)
    if (second === QUESTION) return
    if (second === MARK) {
      if (text.startsWith(CDATA, tag)) this.#listener.text(text.slice(tag + CDATA.length, end - 3))
      return
    }
    if (second === SLASH) {
      this.#listener.close(nameOf(text.slice(tag + 2, end - 1)))
      return
    }
    const isWhole = text.charCodeAt(end - 2) === SLASH
    const body = text.slice(tag + 1, isWhole ? end - 2 : end - 1)
    const name = nameOf(body)
    this.#listener.open(name, body)
    if (isWhole) this.#listener.close(name)
  }
}

const CDATA = '<![CDATA['
const COMMENT = '<!--'

/** Behind what begins there; below 0 while it goes on. */
function endOf(text: string, tag: number): number {
  const second = text.charCodeAt(tag + 1)
  if (second === QUESTION) return behind(text, '?>', tag)
  if (second !== MARK) return endOfTag(text, tag)
  // What it is shows only later, when a piece ends in its first letters.
  if (text.length - tag < CDATA.length) return -1
  if (text.startsWith(COMMENT, tag)) return behind(text, '-->', tag + COMMENT.length)
  if (text.startsWith(CDATA, tag)) return behind(text, ']]>', tag)
  throw new XmlBroken('a document type is not read')
}

function behind(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from)
  return found < 0 ? -1 : found + what.length
}

/** A value in quotation marks may hold an angle bracket. */
function endOfTag(text: string, tag: number): number {
  let quote = 0
  for (let at = tag + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === CLOSING) return at + 1
    else if (code === DOUBLE || code === SINGLE) quote = code
    else if (code === OPENING) throw new XmlBroken('a tag does not end')
  }
  return -1
}

function nameOf(body: string): string {
  const cut = body.search(/\s/)
  const name = cut < 0 ? body : body.slice(0, cut)
  return name.slice(name.indexOf(':') + 1)
}

/** Reads one attribute, whatever its prefix; undefined when it is not there. */
export function attribute(name: string): (attributes: string) => string | undefined {
  const pattern = new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
  return attributes => {
    const [, double, single] = pattern.exec(attributes) ?? []
    const value = double ?? single
    return value === undefined ? undefined : decode(value)
  }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const LAST_CODE_POINT = 0x10_ff_ff

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, digits?: string, name = '') => {
      if (hex === undefined && digits === undefined) return ENTITIES[name] ?? whole
      const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16)
      return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole
    },
  )
}
