import { componentOf, nameComponent } from '../wire/component.ts'
import { formats } from '../wire/formats.ts'

/**
 * What a request may carry, in the words of JSON Schema that every tool knows. The reader's own formats become types,
 * bounds and patterns, its own marks are left out. Two leniencies stay words (see document.ts), since a second type
 * would spoil every generated client: digits in a string for an amount or a year, and null or "" for not sent. Null
 * is a type only where it empties a field.
 */
type Schema = Readonly<Record<string, unknown>>

const OWN_MARKS = new Set(['x-kept', 'x-name', 'x-ascending', 'x-distinct'])
/** Not only blanks, which are cut off on both sides. */
const NAME_PATTERN = String.raw`\S`

/** The fields of a query, an address or the headers. */
export function publishParameters(schema: Schema): Schema {
  return publishBody(schema)
}

export function publishBody(schema: Schema): Schema {
  const component = componentOf(schema)
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const published: Schema = {
    ...withoutMarks(schema),
    properties: Object.fromEntries(properties.map(([name, field]) => [name, publish(field)])),
  }
  return component === undefined ? published : nameComponent(component.name, published)
}

function publish(schema: Schema): Schema {
  const { format, ...rest } = schema
  const known = typeof format === 'string' ? formats[format]?.published : undefined
  const named = schema['x-name'] === true ? { pattern: NAME_PATTERN } : {}
  const published: Schema =
    known === undefined
      ? { ...schema, ...named }
      : { ...rest, ...boundsOf(known, schema), ...withNull(schema, known) }
  if (published['properties'] !== undefined) return publishBody(published)
  const plain = withoutMarks(published)
  return plain['items'] === undefined ? plain : { ...plain, items: publish(plain['items'] as Schema) }
}

/** A bound that is excluded replaces the one that is not. */
function boundsOf({ minimum, ...known }: Schema, { exclusiveMinimum }: Schema): Schema {
  return minimum === undefined || exclusiveMinimum !== undefined ? known : { minimum, ...known }
}

function withNull({ type }: Schema, known: Schema): Schema {
  return Array.isArray(type) && type.includes('null') ? { type: [known['type'], 'null'] } : {}
}

function withoutMarks(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !OWN_MARKS.has(key)))
}
