import { SaxesParser } from 'saxes'
import { ARCHIVE } from '../../platform/limits.rules.ts'

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
