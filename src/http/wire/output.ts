import { assert } from '../../platform/assert.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import { type Camel, nameComponent } from './input.ts'
import type { JsonSchema } from '../../platform/json.rules.ts'

/**
 * What an answer or event carries, each field once: its schema, its description, an example, and where it is read from.
 * `paid_at` is read from `paidAt`, rupees in `amount` from paise in `amountPaise`, unless a function says otherwise.
 * What is null or undefined leaves no key.
 *
 *   const out = outputOf<Refund>()
 *   export const refundOutput = out.object('Refund', {
 *     id: out.text('Refund id.', 'rfd_1k092c8gpz8wezh4es8gqprf85'),
 *     amount: out.amount('Rupees.', 5000),
 *     status: out.oneOf(['pending', 'processed', 'failed'], 'How far it is.', refund => refund.state),
 *     utr: out.optional.text('Bank reference; only if processed.', 'HDFCR52026111500042'),
 *   })
 */
type Empty = null | undefined

/** Read from the property of that name: what type it has to have, and the unit behind its name. */
type ByName<Domain, Unit extends string> = { domain: Domain; unit: Unit }
export type ByFunction<Source, Context> = { source: Source; context: Context }

export type OutField<Json, IsOptional extends boolean, From> = {
  readonly schema: JsonSchema
  readonly example: Json
  readonly isOptional: IsOptional
  readonly unit: string
  readonly read: ((source: never, context: never) => unknown) | undefined
  readonly convert: ((value: never, context: never) => unknown) | undefined
  /** Only the compiler reads it. */
  readonly from?: From
}

type AnyField = OutField<unknown, boolean, unknown>
export type OutFields = Readonly<Record<string, AnyField>>

type Maybe<IsOptional extends boolean, Domain> = IsOptional extends true ? Domain | Empty : Domain

type Kind<Source, Context, IsOptional extends boolean, Domain, Json, Unit extends string = ''> = {
  (description: string, example: Json): OutField<Json, IsOptional, ByName<Maybe<IsOptional, Domain>, Unit>>
  (
    description: string,
    example: Json,
    read: (source: Source, context: Context) => Maybe<IsOptional, Domain>,
  ): OutField<Json, IsOptional, ByFunction<Source, Context>>
}

type Kinds<Source, Context, IsOptional extends boolean> = {
  text: Kind<Source, Context, IsOptional, string, string>
  flag: Kind<Source, Context, IsOptional, boolean, boolean>
  amount: Kind<Source, Context, IsOptional, Paise, number, 'Paise'>
  /** Rupees that can be less than 0. */
  signedAmount: Kind<Source, Context, IsOptional, Paise, number, 'Paise'>
  integer: Kind<Source, Context, IsOptional, number, number>
  unixSeconds: Kind<Source, Context, IsOptional, number, number>
  number: Kind<Source, Context, IsOptional, number, number>
  day: Kind<Source, Context, IsOptional, string, string>
  /** A text, number or flag, as of a field that changed. */
  value: Kind<Source, Context, IsOptional, Scalar, Scalar>
  /** Anything that JSON can hold. */
  json: Kind<Source, Context, IsOptional, unknown, unknown>
  moment: Kind<Source, Context, IsOptional, Date, string>
  texts: Kind<Source, Context, IsOptional, readonly string[], string[]>
  integers: Kind<Source, Context, IsOptional, readonly number[], number[]>
  /** How many of each, by name. */
  counts: Kind<Source, Context, IsOptional, Record<string, number>, Record<string, number>>
  oneOf: {
    <const Values extends readonly string[]>(
      values: Values,
      description: string,
    ): OutField<Values[number], IsOptional, ByName<Maybe<IsOptional, Values[number]>, ''>>
    <const Values extends readonly string[]>(
      values: Values,
      description: string,
      read: (source: Source, context: Context) => Maybe<IsOptional, Values[number]>,
      example?: Values[number],
    ): OutField<Values[number], IsOptional, ByFunction<Source, Context>>
  }
  /** An object of its own inside this one. */
  one: Nested<Source, Context, IsOptional, 'one'>
  list: Nested<Source, Context, IsOptional, 'list'>
}

type Scalar = string | number | boolean

type OneOrMany<What, Item> = What extends 'list' ? readonly Item[] : Item

/** One that needs no context can stand in any. */
type Usable<Source, Context, Json> = Output<Source, Context, Json> | Output<Source, void, Json>

type Nested<Source, Context, IsOptional extends boolean, What> = {
  <Inner, Json>(
    description: string,
    of: Usable<Inner, Context, Json>,
  ): OutField<
    What extends 'list' ? Json[] : Json,
    IsOptional,
    ByName<Maybe<IsOptional, OneOrMany<What, Inner>>, ''>
  >
  <Inner, Json>(
    description: string,
    of: Usable<Inner, Context, Json>,
    read: (source: Source, context: Context) => Maybe<IsOptional, OneOrMany<What, Inner>>,
  ): OutField<What extends 'list' ? Json[] : Json, IsOptional, ByFunction<Source, Context>>
}

export type JsonOf<Given extends OutFields> = {
  [Key in keyof Given as Given[Key]['isOptional'] extends true ? never : Key]: Given[Key]['example']
} & {
  [Key in keyof Given as Given[Key]['isOptional'] extends true ? Key : never]?: Given[Key]['example']
}

type NamedProperties<Given extends OutFields> = {
  [
    Key in keyof Given as Given[Key] extends OutField<unknown, boolean, ByName<unknown, infer Unit>>
      ? `${Camel<Key & string>}${Unit}`
      : never
  ]: Given[Key] extends OutField<unknown, boolean, ByName<infer Domain, string>>
    ? Exclude<Domain, undefined>
    : never
}

type SourceOf<Field> =
  Field extends OutField<unknown, boolean, ByFunction<infer Source, unknown>> ? Source : never
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** A source that has what these fields are read from. */
export type RowOf<Given extends OutFields> = NamedProperties<Given> &
  Together<SourceOf<Given[keyof Given]>> &
  object

/** Says at the field what its source lacks. */
type Fits<Given extends OutFields, Source, Context> = {
  [Key in keyof Given]: Given[Key] extends OutField<unknown, boolean, infer From>
    ? From extends ByName<infer Domain, infer Unit>
      ? Source extends { [Name in `${Camel<Key & string>}${Unit}`]: Domain }
        ? unknown
        : { 'the source has no such property of this type': `${Camel<Key & string>}${Unit}` }
      : From extends ByFunction<infer Other, infer Needed>
        ? [Source, Context] extends [Other, [Needed] extends [void] ? unknown : Needed]
          ? unknown
          : { 'the field reads another source': Other }
        : unknown
    : unknown
}

export type Output<Source, Context, Json> = {
  readonly schema: JsonSchema
  readonly example: Json
  toJson(this: void, source: Source, context: Context): Json
}

/** What an output becomes on the wire. */
export type Shown<Given> = Given extends { readonly example: infer Json } ? Json : never

/** The kinds of fields of one noun, and the object they make. `Context` is what reading needs beside it, such as the time. */
export type Out<Source, Context> = Kinds<Source, Context, false> & {
  optional: Kinds<Source, Context, true>
  /** `name`: what the reference calls it; an object without one is called by where it stands. */
  object<Given extends OutFields>(
    name: string,
    fields: Given & Fits<Given, Source, Context>,
    description?: string,
  ): Output<Source, Context, JsonOf<Given>>
  object<Given extends OutFields>(
    fields: Given & Fits<Given, Source, Context>,
  ): Output<Source, Context, JsonOf<Given>>
}

export function outputOf<Source, Context = void>(): Out<Source, Context> {
  return OUT as unknown as Out<Source, Context>
}

const OUT = {
  ...kinds(false),
  optional: kinds(true),
  object: (name: string | OutFields, fields: OutFields = {}, description?: string): AnyOutput =>
    typeof name === 'string' ? makeOutput(fields, { name, description }) : makeOutput(name),
}

type Reader = (source: never, context: never) => unknown
type AnyOutput = Output<unknown, unknown, unknown>

function kinds(isOptional: boolean) {
  const kind =
    (schema: JsonSchema, unit = '', convert?: AnyField['convert']) =>
    (description: string, example: unknown, read?: Reader): AnyField =>
      make({ ...schema, description, examples: [example] }, { example, read, unit, convert })
  const make = (
    schema: JsonSchema,
    { example, read, unit = '', convert }: Partial<Omit<AnyField, 'schema' | 'isOptional'>>,
  ): AnyField => ({ schema, example, isOptional, unit, read, convert })
  return {
    text: kind({ type: 'string' }),
    flag: kind({ type: 'boolean' }),
    amount: kind({ type: 'number', format: 'double', minimum: 0 }, 'Paise', toRupees),
    signedAmount: kind({ type: 'number', format: 'double' }, 'Paise', toRupees),
    integer: kind({ type: 'integer' }),
    unixSeconds: kind({ type: 'integer', format: 'int64' }),
    number: kind({ type: 'number', format: 'double' }),
    day: kind({ type: 'string', format: 'date' }),
    value: kind({}),
    json: kind({}),
    moment: kind({ type: 'string', format: 'date-time' }, '', (value: Date) => value.toISOString()),
    texts: kind({ type: 'array', items: { type: 'string' } }),
    integers: kind({ type: 'array', items: { type: 'integer' } }),
    counts: kind({ type: 'object', additionalProperties: { type: 'integer' } }),
    oneOf: (values: readonly string[], description: string, read?: Reader, example = values[0]): AnyField =>
      make({ type: 'string', enum: values, description, examples: [example] }, { example, read }),
    one: (description: string, of: AnyOutput, read?: Reader): AnyField =>
      make({ ...of.schema, description }, { example: of.example, read, convert: of.toJson }),
    list: (description: string, of: AnyOutput, read?: Reader): AnyField =>
      make(
        { type: 'array', items: of.schema, description },
        {
          example: [of.example],
          read,
          convert: (items: readonly unknown[], context: unknown) =>
            items.map(item => of.toJson(item, context)),
        },
      ),
  }
}

type OutputDocs = { name?: string; description?: string | undefined }

function makeOutput(fields: OutFields, { name: component, description }: OutputDocs = {}): AnyOutput {
  const entries = Object.entries(fields)
  // Most nouns are never written in the life of a process that answers some of the addresses.
  let write: Write | null = null
  const schema = {
    type: 'object',
    required: entries.filter(([, field]) => !field.isOptional).map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, field.schema])),
    ...(description === undefined ? {} : { description }),
  }
  return {
    schema: component === undefined ? schema : nameComponent(component, schema),
    example: Object.fromEntries(entries.map(([name, field]) => [name, field.example])),
    toJson: (source, context) => (write ??= compileWriter(entries))(source, context),
  }
}

type Write = AnyOutput['toJson']

/**
 * Writes the function that a person would write for this noun, so that its JSON costs no more than theirs: a loop over
 * the fields takes twice as long. Only names of definitions stand in the code, and those are held to be plain ones.
 */
function compileWriter(entries: readonly [string, AnyField][]): Write {
  const steps = entries.map(([name, { read, convert, unit }], no) => {
    const key = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) + unit
    assert(/^[a-z_0-9]+$/.test(name) && /^\w+$/.test(key), `${name} is no name of a field`)
    const value = read === undefined ? `source.${key}` : `read${no}(source, context)`
    const json = convert === undefined ? 'value' : `convert${no}(value, context)`
    return `value = ${value}\nif (value !== null && value !== undefined) json.${name} = ${json}`
  })
  const code = `return (source, context) => {\nlet value\nconst json = {}\n${steps.join('\n')}\nreturn json\n}`
  // oxlint-disable-next-line typescript/no-implied-eval
  const make = new Function(...entries.flatMap((_, no) => [`read${no}`, `convert${no}`]), code) as (
    ...functions: unknown[]
  ) => Write
  return make(...entries.flatMap(([, { read, convert }]) => [read, convert]))
}
