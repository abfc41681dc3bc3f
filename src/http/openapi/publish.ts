import { formats } from '../wire/formats.ts'

/**
 * What a request may carry, in the words of JSON Schema that every tool knows. The reader's own formats become types,
 * bounds and patterns, its own marks are left out, and a field that may be left out may be null as well: the reader
 * takes that for not sent. Two leniencies stay words (see document.ts), since a second type would spoil every
 * generated client: digits in a string for an amount or a year, and "" for a number, a flag or a day.
 */
type Schema = Readonly<Record<string, unknown>>

const OWN_MARKS = new Set(['x-kept', 'x-name', 'x-ascending'])
/** Not only blanks, which are cut off on both sides. */
const NAME_PATTERN = String.raw`\S`

/** Of a query or an address everything is text: nothing there can be null. */
export function publishParameters(schema: Schema): Schema {
  return mapProperties(schema, publish)
}

export function publishBody(schema: Schema): Schema {
  const required = new Set(schema['required'] as string[] | undefined)
  return mapProperties(schema, (field, name) =>
    required.has(name) || field['x-kept'] === true ? publish(field) : orEmpty(publish(field)),
  )
}

function publish(schema: Schema): Schema {
  const { format, ...rest } = schema
  const known = typeof format === 'string' ? formats[format]?.published : undefined
  const named = schema['x-name'] === true ? { pattern: NAME_PATTERN } : {}
  const published: Schema =
    known === undefined ? { ...schema, ...named } : { ...rest, ...known, ...withNull(schema, known) }
  const plain = Object.fromEntries(Object.entries(published).filter(([key]) => !OWN_MARKS.has(key)))
  if (plain['properties'] !== undefined) return publishBody(plain)
  return plain['items'] === undefined ? plain : { ...plain, items: publish(plain['items'] as Schema) }
}

/** Null and "" mean not sent. */
function orEmpty(schema: Schema): Schema {
  const { minLength: _, ...rest } = schema
  const { pattern, enum: values } = schema
  return {
    ...rest,
    type: [...new Set([schema['type'], 'null'].flat())],
    ...(pattern === undefined ? {} : { pattern: `^$|${pattern as string}` }),
    ...(values === undefined ? {} : { enum: [...(values as unknown[]), null] }),
  }
}

function withNull({ type }: Schema, known: Schema): Schema {
  return Array.isArray(type) && type.includes('null') ? { type: [known['type'], 'null'] } : {}
}

function mapProperties(schema: Schema, map: (field: Schema, name: string) => Schema): Schema {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const marks = Object.keys(schema).filter(key => OWN_MARKS.has(key))
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => !marks.includes(key))),
    properties: Object.fromEntries(properties.map(([name, field]) => [name, map(field, name)])),
  }
}
