import { compileReader, READ_AS, type ReadAs, refuseUnknownWords } from './reader.ts'
import type { JsonSchema } from '../../platform/json.rules.ts'
import type { Paise } from '../../platform/money.ts'

/**
 * What a request may carry, each field once: its schema, its description, an example, and the name and type under which
 * a service gets it. `order_id` is read as `orderId`, rupees in `amount` as paise in `amountPaise`; `.as()` names it
 * otherwise. The reader (reader.ts) works off the schema, whose `format` says what a sent value becomes.
 */
type Schema = Record<string, unknown>

type Options<Name> = {
  example: unknown
  name: Name
  isRequired?: boolean
  /** What it reads as when it is not sent; without it that is left to the whole. */
  absent?: { value: unknown } | undefined
  /** What null and "" are read as where they say something. */
  empty?: unknown
}

declare const ABSENT: unique symbol
/** Stands for "not sent" until the whole knows whether that reads null or undefined. */
type Absent = typeof ABSENT

export class Field<Value, Name extends string = ''> {
  declare readonly value: Value
  readonly schema: Schema
  readonly example: unknown
  readonly name: Name
  readonly isRequired: boolean
  readonly absent: { value: unknown } | undefined
  readonly empty: unknown

  constructor(schema: Schema, options: Options<Name>) {
    refuseUnknownWords(schema)
    this.schema = schema
    this.example = options.example
    this.name = options.name
    this.isRequired = options.isRequired ?? true
    this.absent = options.absent
    this.empty = options.empty ?? null
  }

  /** The name that services know it by. */
  as<Other extends string>(name: Other): Field<Value, Other> {
    return new Field(this.schema, { ...this.options(), name })
  }

  options(): Options<Name> {
    const { example, name, isRequired, absent, empty } = this
    return { example, name, isRequired, absent, empty }
  }
}

/** May be left out; null and "" mean the same. */
export function optional<Value, Name extends string>(field: Field<Value, Name>): Field<Value | Absent, Name>
export function optional<Value, Name extends string>(
  field: Field<Value, Name>,
  fallback: Value,
): Field<Value, Name>
export function optional(field: Field<unknown, string>, fallback?: unknown): Field<unknown, string> {
  // Every request that leaves it out shares it.
  const absent = fallback === undefined ? undefined : { value: Object.freeze(fallback) }
  return new Field(field.schema, { ...field.options(), isRequired: false, absent })
}

const NOT_SENT = { isRequired: false, absent: { value: undefined } }

/** May be left out, and reads undefined then, where null would say something else. */
export function ifSent<Value, Name extends string>(
  field: Field<Value, Name>,
): Field<Value | undefined, Name> {
  return new Field(field.schema, { ...field.options(), ...NOT_SENT })
}

/** PATCH: null or "" empties the field, which then reads null or what `empty` says; absent leaves it as it is. */
export function nullable<Value, Name extends string>(
  field: Field<Value, Name>,
): Field<Value | null | undefined, Name>
export function nullable<Value, Name extends string>(
  field: Field<Value, Name>,
  empty: Value,
): Field<Value | undefined, Name>
export function nullable(field: Field<unknown, string>, empty?: unknown): Field<unknown, string> {
  const type = [field.schema['type'], 'null'].flat()
  return new Field(
    { ...field.schema, type },
    { ...field.options(), ...NOT_SENT, empty: Object.freeze(empty) },
  )
}

/** PATCH: null and "" are refused, because the field cannot be emptied; absent leaves it as it is. */
export function notEmpty<Value, Name extends string>(
  field: Field<Value, Name>,
): Field<Value | undefined, Name> {
  return new Field({ ...field.schema, 'x-kept': true }, { ...field.options(), ...NOT_SENT })
}

type Fields = Readonly<Record<string, Field<unknown, string>>>

export type Camel<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text

/** `*Paise` in place of a name: the wire's own, with the unit behind it. */
export type NameOf<Key, Name extends string> = Name extends ''
  ? Camel<Key & string>
  : Name extends `*${infer Unit}`
    ? `${Camel<Key & string>}${Unit}`
    : Name

type KeyOf<Given extends Fields, Key extends keyof Given> =
  Given[Key] extends Field<unknown, infer Name> ? NameOf<Key, Name> : never

/** The type that a field reads as; undefined when the key may be absent. */
type ValueOf<One extends Field<unknown, string>, WhenAbsent> =
  | Exclude<One['value'], Absent>
  | (Absent extends One['value'] ? WhenAbsent : never)

type ReadFields<Given extends Fields, WhenAbsent> = {
  [
    Key in keyof Given as undefined extends ValueOf<Given[Key], WhenAbsent> ? never : KeyOf<Given, Key>
  ]: ValueOf<Given[Key], WhenAbsent>
} & {
  [
    Key in keyof Given as undefined extends ValueOf<Given[Key], WhenAbsent> ? KeyOf<Given, Key> : never
  ]?: Exclude<ValueOf<Given[Key], WhenAbsent>, undefined>
}

/** Fields that are read together: a body, a query, the parameters of an address, an item of a list. */
export class Input<Value, Given extends Fields = Fields> {
  readonly fields: Given
  readonly schema: JsonSchema
  readonly example: Record<string, unknown>
  readonly #whenAbsent: null | undefined
  #reader: ((value: unknown) => unknown) | undefined

  constructor(
    fields: Given,
    whenAbsent: null | undefined,
    { name: component, ascending }: InputOptions = {},
  ) {
    this.fields = fields
    this.#whenAbsent = whenAbsent
    const entries = Object.entries(fields)
    const schema = {
      type: 'object',
      required: entries.filter(([, field]) => field.isRequired).map(([name]) => name),
      properties: Object.fromEntries(entries.map(([name, field]) => [name, field.schema])),
      [READ_AS]: Object.fromEntries(entries.map(([name, field]) => [name, this.#readAs(name, field)])),
      ...(ascending === undefined ? {} : { 'x-ascending': ascending }),
    }
    this.schema = component === undefined ? schema : nameComponent(component, schema)
    this.example = Object.fromEntries(entries.map(([name, field]) => [name, field.example]))
  }

  /** Gives what was sent, or throws a 400 that names every field to change. */
  read(value: unknown): Value {
    this.#reader ??= compileReader(this.schema)
    return this.#reader(value) as Value
  }

  #readAs(name: string, { name: given, absent, empty }: Field<unknown, string>): ReadAs {
    return { key: nameOf(name, given), absent: absent === undefined ? this.#whenAbsent : absent.value, empty }
  }
}

export type AnyInput = Input<unknown>

/** What an input reads as. */
export type Read<Given> = Given extends Input<infer Value> ? Value : never

type InputOptions = {
  /** What the reference calls it; without one it is called by where it stands. */
  name?: string
  ascending?: readonly [string, string]
}

/** What is not sent reads null. */
export function input<const Given extends Fields>(
  fields: Given,
  together: InputOptions = {},
): Input<ReadFields<Given, null>, Given> {
  return new Input(fields, null, together)
}

/** The filters of a list: what is not sent reads undefined. */
export function query<const Given extends Fields>(fields: Given): Input<ReadFields<Given, undefined>, Given> {
  return new Input(fields, undefined)
}

/** The name that services know a field by. */
export function nameOf(name: string, given: string): string {
  if (given === '') return toCamel(name)
  return given.startsWith('*') ? toCamel(name) + given.slice(1) : given
}

export function toCamel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

type Bounds = { min?: number; max: number }

export const field = {
  text: (description: string, example: string, maxLength = 500, minLength = 1) =>
    plain<string>({ type: 'string', minLength, maxLength }, description, example),
  identifier: (description: string, example: string) => name(description, example, 128),
  code: (description: string, example: string) => name(description, example, 64),
  flag: (description: string, example = true) => plain<boolean>({ type: 'boolean' }, description, example),
  oneOf: <const Values extends readonly string[]>(
    values: Values,
    description: string,
    example: Values[number] | undefined = values[0],
  ) => plain<Values[number]>({ type: 'string', enum: values }, description, example),
  amount: (description: string, example: number) => rupees({}, description, example),
  positiveAmount: (description: string, example: number) =>
    rupees({ exclusiveMinimum: 0 }, description, example),
  year: (description: string, example: number) =>
    plain<number>({ type: ['integer', 'string'], format: 'year' }, description, example),
  wholeNumber: (description: string, example: number, [minimum, maximum]: readonly [number, number]) =>
    plain<number>({ type: 'integer', minimum, maximum }, description, example),
  day: (description: string, example: string) => formatted<string>('date', description, example),
  moment: (description: string, example: string) => formatted<Date>('date-time', description, example),
  momentOrDay: (description: string, example: string) =>
    formatted<Date>('date-or-time', description, example),
  rangeStart: (description: string, example = '2026-11-01') =>
    formatted<Date>('range-start', description, example),
  rangeEnd: (description: string, example = '2026-11-30') =>
    formatted<Date>('range-end', description, example),
  phone: (description: string, example: string) => formatted<string>('phone', description, example),
  email: (description: string, example: string) => formatted<string>('email', description, example),
  emailList: (description: string, example: string) => formatted<string>('email-list', description, example),
  url: (description: string, example: string) =>
    formatted<string>('http-url', description, example, { maxLength: 2048 }),
  resourceId: (description: string, example: string) =>
    formatted<string>('resource-id', description, example, { minLength: 1, maxLength: 64 }),
  registrationId: (description: string, example: string) =>
    formatted<string>('registration-id', description, example, { minLength: 1, maxLength: 128 }),
  /** Page size in a list's query. */
  pageSize: () =>
    optional(
      plain<number>(
        { type: 'integer', minimum: 1, maximum: 200, default: 50, format: 'page-size' },
        'How many to answer with.',
        50,
      ),
      50,
    ),
  cursor: (example: string) => optional(field.resourceId('`next_cursor` of the page before.', example)),
  object: <Value>(description: string, of: Input<Value>) =>
    new Field<Value>({ ...of.schema, description }, { example: of.example, name: '' }),
  /** Some of the values of a `oneOf`; one that is named twice counts once. As many entries as values at most. */
  choices: <Value extends string>(description: string, of: Field<Value>, { min = 0 } = {}) =>
    new Field<Value[]>(
      {
        type: 'array',
        items: of.schema,
        ...(min === 0 ? {} : { minItems: min }),
        maxItems: (of.schema['enum'] as unknown[]).length,
        'x-distinct': true,
        description,
      },
      { example: [of.example], name: '' },
    ),
  list: <Value>(description: string, of: Input<Value> | Field<Value, string>, { min, max }: Bounds) =>
    new Field<Value[]>(
      {
        type: 'array',
        items: of.schema,
        ...(min === undefined ? {} : { minItems: min }),
        maxItems: max,
        description,
      },
      { example: [of.example], name: '' },
    ),
}

/** Kept in one form, so that two that look alike are the same. */
function name(description: string, example: string, maxLength: number): Field<string> {
  return plain<string>({ type: 'string', minLength: 1, maxLength, 'x-name': true }, description, example)
}

function plain<Value>(schema: Schema, description: string, example: unknown): Field<Value> {
  return new Field<Value>({ ...schema, description, examples: [example] }, { example, name: '' })
}

function formatted<Value>(format: string, description: string, example: string, limits: Schema = {}) {
  return plain<Value>({ ...limits, type: 'string', format }, description, example)
}

function rupees(limits: Schema, description: string, example: number): Field<Paise, '*Paise'> {
  return plain<Paise>({ ...limits, type: ['number', 'string'], format: 'rupees' }, description, example).as(
    '*Paise',
  )
}

const COMPONENT = Symbol('component')

type Component = { readonly name: string; readonly schema: JsonSchema }

/**
 * Gives a schema its name in the reference, where it stands once and is referred to. The name is carried along when a
 * field spreads the schema to describe what it holds there; it is no part of the schema itself.
 */
export function nameComponent<Given extends object>(name: string, schema: Given): Given {
  return { ...schema, [COMPONENT]: { name, schema: schema as unknown as JsonSchema } satisfies Component }
}

export function componentOf(schema: JsonSchema): Component | undefined {
  return (schema as { [COMPONENT]?: Component })[COMPONENT]
}
