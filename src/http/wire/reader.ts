import { badFields, type FieldProblem } from '../../platform/errors.ts'
import { canonicalName } from '../../platform/names.ts'
import { countCharacters, formats } from './formats.ts'
import type { JsonSchema } from '../../platform/json.rules.ts'

/**
 * Reads a request against the JSON Schema that also documents it. Not a general validator: it implements the
 * wire conventions, which none has. Only known fields are taken over; null or "" in an optional field means
 * not sent (or null where the schema's type includes it); nothing is coerced but money and years, whose
 * formats turn them into paise and integers. Every problem is collected, with its dotted path.
 */
type Schema = {
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: readonly unknown[]
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  /** Two fields of an object, the second of which must not be less than the first. */
  'x-ascending'?: readonly [string, string]
  /** What an array names twice counts once. */
  'x-distinct'?: boolean
  /** Null or "" is refused instead of taken for not sent. */
  'x-kept'?: boolean
  /** Read in the one form of text that names somebody. */
  'x-name'?: boolean
  [READ_AS]?: Record<string, ReadAs>
}

/** Says under which name a field is handed on, and its value when it was not sent. The document leaves it out. */
export const READ_AS = Symbol('read as')
export type ReadAs = { key: string; absent: unknown; empty: unknown }

type FieldReader = (value: unknown, key: string, problems: FieldProblem[]) => unknown

/** Returns a function that gives the read value or throws a 400 naming every field to change. */
export function compileReader(schema: JsonSchema): (value: unknown) => unknown {
  const read = compile(schema)
  return value => {
    const problems: FieldProblem[] = []
    const result = read(value, '', problems)
    if (problems.length > 0) throw badFields(problems)
    return result
  }
}

/** What a schema may say: what is read here, and what only tells people something. */
const WORDS = new Set(
  'type format properties required items enum minItems maxItems minLength maxLength minimum maximum exclusiveMinimum'
    .concat(' x-ascending x-distinct x-kept x-name description default examples')
    .split(' '),
)

/** What a field documents is enforced: a word that is not read here is refused when the field is written. */
export function refuseUnknownWords(schema: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(schema).filter(word => !WORDS.has(word))
  if (unknown.length === 0) return
  throw new Error(`the reader does not honour ${unknown.join(', ')}: write a format (formats.ts) instead`)
}

function compile(schema: Schema): FieldReader {
  if (schema.format !== undefined) return compileFormat(schema, schema.format)
  switch (typeOf(schema)) {
    case 'object':
      return compileObject(schema)
    case 'array':
      return compileArray(schema)
    case 'string':
      return compileText(schema)
    case 'integer':
      return compileInteger(schema)
    case 'boolean':
      return expecting('true or false', value => typeof value === 'boolean')
    default:
      throw new Error(`the reader does not know how to read ${JSON.stringify(schema)}`)
  }
}

/** The one type beside null. */
function typeOf({ type }: Schema): string | undefined {
  const [one, ...others] = [type ?? []].flat().filter(name => name !== 'null')
  return others.length === 0 ? one : undefined
}

const MAX_PROBLEMS = 100

function report(problems: FieldProblem[], key: string, message: string): undefined {
  if (problems.length < MAX_PROBLEMS) problems.push({ key, message })
  return undefined
}

function compileObject(schema: Schema): FieldReader {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    as: schema[READ_AS]?.[name] ?? { key: name, absent: undefined, empty: null },
    read: compile(field),
    isRequired: required.has(name),
    isClearable: Array.isArray(field.type) && field.type.includes('null'),
    isKept: field['x-kept'] === true,
  }))
  return (value, key, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return report(problems, key, 'must be a JSON object')
    }
    const result: Record<string, unknown> = {}
    for (const { name, as, read, isRequired, isClearable, isKept } of fields) {
      const path = key === '' ? name : `${key}.${name}`
      const raw = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
      if (raw !== undefined && raw !== null && raw !== '') result[as.key] = read(raw, path, problems)
      else if (isRequired) report(problems, path, 'is required')
      else if (isClearable && raw !== undefined) result[as.key] = as.empty
      else if (isKept && raw !== undefined) report(problems, path, 'cannot be empty; leave it out to keep it')
      else if (as.absent !== undefined) result[as.key] = as.absent
    }
    checkAscending(schema, result, { key, problems })
    return result
  }
}

function checkAscending(
  schema: Schema,
  read: Record<string, unknown>,
  { key, problems }: { key: string; problems: FieldProblem[] },
): void {
  const pair = schema['x-ascending']
  if (pair === undefined) return
  const [first, second] = pair
  const keyOf = (name: string): string => schema[READ_AS]?.[name]?.key ?? name
  const [low, high] = [read[keyOf(first)], read[keyOf(second)]]
  if (typeof low !== 'number' || typeof high !== 'number' || high >= low) return
  report(problems, key === '' ? second : `${key}.${second}`, `must not be before ${first}`)
}

function compileArray(schema: Schema): FieldReader {
  const readItem = compile(schema.items ?? {})
  const { minItems = 0, maxItems = Infinity, 'x-distinct': isDistinct = false } = schema
  return (value, key, problems) => {
    if (!Array.isArray(value)) return report(problems, key, 'must be an array')
    if (value.length < minItems)
      return report(problems, key, `must have at least ${counted(minItems, 'item')}`)
    if (value.length > maxItems)
      return report(problems, key, `must have at most ${counted(maxItems, 'item')}`)
    const read = value.map((item: unknown, index) => readItem(item, `${key}.${index}`, problems))
    return isDistinct ? [...new Set(read)] : read
  }
}

function compileText(schema: Schema): FieldReader {
  const { enum: allowed, maxLength = 500, minLength = 1 } = schema
  const isName = schema['x-name'] === true
  return (sent, key, problems) => {
    if (typeof sent !== 'string') return report(problems, key, 'must be a string')
    if (sent.length > LONGEST) return report(problems, key, tooLong(maxLength))
    const value = isName ? canonicalName(sent) : sent
    const flaw = textFlaw(value, minLength, maxLength)
    if (flaw !== null) return report(problems, key, flaw)
    if (allowed !== undefined && !allowed.includes(value)) {
      return report(problems, key, `must be one of: ${allowed.join(', ')}`)
    }
    return value
  }
}

/** Counted in UTF-16 units, of which a character has two at most; putting marks in order and counting take their time. */
const LONGEST = 20_000

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function tooLong(maxLength: number): string {
  return `must have at most ${counted(maxLength, 'character')}`
}

/** What keeps it from being a text of so many characters. */
export function textFlaw(text: string, minLength: number, maxLength: number): string | null {
  if (text.length > LONGEST) return tooLong(maxLength)
  if (text.includes('\u0000')) return 'must not contain the character U+0000'
  if (!text.isWellFormed()) return 'must be well-formed Unicode text'
  // Characters are what people count; only a text that may be too long is worth counting them.
  const length = text.length > maxLength ? countCharacters(text) : text.length
  if (length > maxLength) return tooLong(maxLength)
  return length < minLength ? `must have at least ${counted(minLength, 'character')}` : null
}

function compileInteger({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): FieldReader {
  return expecting(
    `a whole number from ${minimum} to ${maximum}`,
    value => Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  )
}

function compileFormat(schema: Schema, name: string): FieldReader {
  const format = formats[name]
  if (format === undefined) throw new Error(`unknown format ${name}`)
  return (value, key, problems) => {
    if (typeof value === 'string') {
      const flaw = textFlaw(value, 1, schema.maxLength ?? 500)
      if (flaw !== null) return report(problems, key, flaw)
    }
    const result = format.read(value)
    if (result === null) return report(problems, key, format.expects)
    if (schema.exclusiveMinimum !== undefined && (result as number) <= schema.exclusiveMinimum) {
      return report(problems, key, `must be more than ${schema.exclusiveMinimum}`)
    }
    return result
  }
}

function expecting(what: string, accepts: (value: unknown) => boolean): FieldReader {
  return (value, key, problems) => (accepts(value) ? value : report(problems, key, `must be ${what}`))
}
