import type { TSchema } from 'typebox'

/** Examples for what is described without one. */
type Schema = {
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  enum?: readonly unknown[]
  const?: unknown
  examples?: readonly unknown[]
  anyOf?: readonly Schema[]
}

const BY_FORMAT: Record<string, unknown> = {
  'date-time': '2026-11-15T04:00:00.000Z',
  'range-start': '2026-11-01',
  'range-end': '2026-11-30',
  date: '2026-11-15',
  'date-or-time': '2026-11-15',
  email: 'asha@example.in',
  'http-url': 'https://erp.example.in/fees/done',
  phone: '9876543210',
  rupees: 1500,
  year: 2026,
}

/** A value that fits, from the examples that fields are described with. */
export function exampleOf(schema: TSchema): unknown {
  return example(schema)
}

/** The example with whatever its schema knows beyond it. */
export function completeExample(schema: TSchema, given: unknown): unknown {
  return complete(schema, given)
}

function complete({ properties, items }: Schema, given: unknown): unknown {
  if (Array.isArray(given)) {
    if (items === undefined) return given
    return given.length === 0 ? [example(items)] : given.map(item => complete(items, item))
  }
  if (typeof given !== 'object' || given === null || properties === undefined) return given
  const own = Object.entries(given).filter(([, value]) => value !== undefined)
  const missing = Object.entries(properties).filter(([name]) => own.every(([known]) => known !== name))
  return Object.fromEntries([
    ...own.map(([name, value]) => [name, complete(properties[name] ?? {}, value)]),
    ...missing.map(([name, field]) => [name, example(field)]),
  ])
}

function example(schema: Schema): unknown {
  const [first] = schema.examples ?? []
  if (first !== undefined) return first
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf?.[0] !== undefined) return example(schema.anyOf[0])
  if (schema.format !== undefined && schema.format in BY_FORMAT) return BY_FORMAT[schema.format]
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [name, example(field)]),
      )
    case 'array':
      return schema.items === undefined ? [] : [example(schema.items)]
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return 1
    default:
      return 'text'
  }
}
