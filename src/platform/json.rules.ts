import { JSON_BODY } from './limits.rules.ts'

/** Takes a byte order mark away, which many a framework sends, and takes nothing for a character that is none. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const OPENING = new Set([91, 123])
const CLOSING = new Set([93, 125])
/** A shorter text is parsed at once: it cannot take long. */
export const HARMLESS_BYTES = 16_384

/**
 * Whether the text may be parsed while requests wait: it has few enough values and is not nested deeply. It need not be
 * JSON; what is none is found out by parsing it, just as quickly.
 */
export function isQuicklyParsed(json: Uint8Array): boolean {
  if (json.length < HARMLESS_BYTES) return true
  let [values, depth] = [1, 0]
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === COMMA) {
      if (++values > JSON_BODY.values) return false
    } else if (OPENING.has(byte)) {
      values++
      if (++depth > JSON_BODY.depth) return false
    } else if (CLOSING.has(byte)) depth--
  }
  return values <= JSON_BODY.values
}

/** What another server answered. Throws where it is no JSON, or would take long to parse: whoever sent it chose how long. */
export function parseAnswer(json: Uint8Array): unknown {
  if (!isQuicklyParsed(json)) throw new SyntaxError(`more than ${JSON_BODY.values} values, or nested deeply`)
  return JSON.parse(UTF8.decode(json)) as unknown
}

/** A JSON Schema, as it stands in the API reference. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schema of an object that has all of these properties, but for the optional ones. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [], ...about }: { optional?: readonly string[]; description?: string } = {},
): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name))
  return { type: 'object', required, properties, ...about }
}
