import type pg from 'pg'
import type { Queryable } from './database.ts'
import type { Query } from './query.ts'

/** What a property of a row may be stored as; JSON that is a text already, as `json`. */
type TypeOf<Value> = [Value] extends [Date]
  ? 'timestamptz'
  : [Value] extends [Buffer]
    ? 'bytea'
    : [Value] extends [number]
      ? 'int' | 'bigint' | 'real'
      : [Value] extends [boolean]
        ? 'boolean'
        : [Value] extends [string]
          ? 'text' | 'date' | 'json'
          : 'jsonb' | 'text[]'

/** The column's type, with its name before it where that is not the property's own in snake case. */
type Column<Type extends string> = Type | `${string} ${Type}`

type Columns<Row> = { readonly [Key in keyof Row]-?: Column<TypeOf<NonNullable<Row[Key]>>> }

type InsertOptions<Key> = {
  /** The columns that are written; the others get their defaults. All when absent. */
  only?: readonly Key[]
  /** Such as `on conflict (institute_id, code) do nothing`. */
  onConflict?: string
}

/**
 * The columns of a table, written once: the select list, the insert and the update of a row all come from here, and rows
 * have the shape of the domain type. Every text is a constant of its call, so it stays one prepared statement.
 */
export class Table<Row extends object> {
  readonly #name: string
  readonly #definition: Columns<Row>
  readonly #columns: ReadonlyMap<string, NamedColumn>

  constructor(name: string, columns: Columns<Row>) {
    this.#name = name
    this.#definition = columns
    const entries = Object.entries<string>(columns)
    this.#columns = new Map(entries.map(([key, text]) => [key, toColumn(key, text)]))
  }

  /** The same table with columns that the domain type does not show, such as the tenant's, for statements that write them. */
  with<More extends object>(more: Columns<More>): Table<Row & More> {
    return new Table<Row & More>(this.#name, { ...this.#definition, ...more } as Columns<Row & More>)
  }

  /** The select list: `o.amount_paise as "amountPaise", …`. */
  columns(alias: string, only?: readonly (keyof Row & string)[]): string {
    return this.#pick(only)
      .map(({ key, name }) => `${alias}.${name} as "${key}"`)
      .join(', ')
  }

  /** Takes these columns over from the refused row, in `on conflict … do update set`. */
  excluded(only: readonly (keyof Row & string)[]): string {
    return this.#pick(only)
      .map(({ name }) => `${name} = excluded.${name}`)
      .join(', ')
  }

  /** The row as a JSON object, for rows inside a row, with expressions beside its columns. Moments and days are texts in it. */
  json(
    alias: string,
    only?: readonly (keyof Row & string)[],
    more: Readonly<Record<string, string>> = {},
  ): string {
    const pairs = [
      ...this.#pick(only).map(({ key, name }) => `'${key}', ${alias}.${name}`),
      ...Object.entries(more).map(([key, expression]) => `'${key}', ${expression}`),
    ]
    return `json_build_object(${pairs.join(', ')})`
  }

  /** One statement for any number of rows, in their order; answers how many were written. */
  async insert<Key extends keyof Row & string = keyof Row & string>(
    db: Queryable,
    rows: readonly Pick<Row, Key>[],
    { only, onConflict }: InsertOptions<Key> = {},
  ): Promise<number> {
    if (rows.length === 0) return 0
    const { text, values } = this.#insertion(rows, only)
    if (onConflict !== undefined) return (await db.query(`${text} ${onConflict} returning 1`, values)).length
    await db.query(text, values)
    return rows.length
  }

  /** What a statement of its own joins its table with: `r`, one row for each of these. */
  rowsOf<Key extends keyof Row & string>(
    rows: readonly Pick<Row, Key>[],
    only: readonly Key[],
  ): { text: string; values: unknown[] } {
    const columns = this.#pick(only)
    return rows.length <= FEW
      ? {
          text: `(${valuesOf(columns, rows.length)}) as ${aliasOf(columns)}`,
          values: toValues(rows, columns),
        }
      : { text: unnest(columns), values: toArrays(rows, columns) }
  }

  /** Answers of each row what the database has made of it: a select list, such as `id, sequence`. */
  async insertReturning<Made extends pg.QueryResultRow>(
    db: Queryable,
    rows: readonly Row[],
    returned: string,
  ): Promise<Made[]> {
    if (rows.length === 0) return []
    const { text, values } = this.#insertion(rows)
    return db.query<Made>(`${text} returning ${returned}`, values)
  }

  /** Writes the columns of `set` into the rows that `key` names; answers how many there were. */
  async update<Key extends keyof Row & string, Changed extends keyof Row & string>(
    db: Queryable,
    rows: readonly Pick<Row, Key | Changed>[],
    { key, set }: { key: readonly Key[]; set: readonly Changed[] },
  ): Promise<number> {
    if (rows.length === 0) return 0
    const columns = this.#pick([...key, ...set])
    const assignments = this.#pick(set).map(column => `${column.name} = ${valueOf(column)}`)
    const matches = this.#pick(key).map(({ name }) => `t.${name} = r.${name}`)
    const values = toArrays(rows, columns)
    const institutes = columns.findIndex(({ name }) => name === 'institute_id')
    if (institutes >= 0) {
      // Said of the table itself, so that its rows of other institutes are not read. Each once: a long list would be gone
      // through for every row.
      values.push([...new Set(values[institutes] as number[])])
      matches.push(`t.institute_id = any ($${values.length}::int[])`)
    }
    const written = await db.query(
      `update ${this.#name} t set ${assignments.join(', ')} from ${unnest(columns)}
       where ${matches.join(' and ')} returning 1`,
      values,
    )
    return written.length
  }

  #insertion<Key extends keyof Row & string = keyof Row & string>(
    rows: readonly Pick<Row, Key>[],
    only?: readonly Key[],
  ): Query {
    const columns = this.#pick(only)
    const into = `insert into ${this.#name} (${namesOf(columns)})`
    return rows.length <= FEW
      ? { text: `${into} ${valuesOf(columns, rows.length)}`, values: toValues(rows, columns) }
      : {
          text: `${into} select ${selected(columns)} from ${unnest(columns)}`,
          values: toArrays(rows, columns),
        }
  }

  #pick(only: readonly string[] | undefined): readonly NamedColumn[] {
    if (only === undefined) return [...this.#columns.values()]
    return only.map(key => {
      const column = this.#columns.get(key)
      if (column === undefined) throw new Error(`${this.#name} has no column for ${key}`)
      return column
    })
  }
}

/**
 * So many rows are written as values, with a text for each number of them, which spares the arrays and whose plan is kept,
 * as PostgreSQL knows how many there are; of more there would be too many texts.
 */
const FEW = 4

type NamedColumn = { key: string; name: string; type: string }

function toColumn(key: string, text: string): NamedColumn {
  const space = text.indexOf(' ')
  return space < 0
    ? { key, name: key.replaceAll(/[A-Z]/g, capital => `_${capital.toLowerCase()}`), type: text }
    : { key, name: text.slice(0, space), type: text.slice(space + 1) }
}

function namesOf(columns: readonly NamedColumn[]): string {
  return columns.map(({ name }) => name).join(', ')
}

function valuesOf(columns: readonly NamedColumn[], count: number): string {
  const rows = Array.from({ length: count }, (_, row) => {
    const places = columns.map(({ type }, column) => `$${row * columns.length + column + 1}::${type}`)
    return `(${places.join(', ')})`
  })
  return `values ${rows.join(', ')}`
}

function selected(columns: readonly NamedColumn[]): string {
  return columns.map(valueOf).join(', ')
}

/** An array of arrays would be unnested to its last element, so a column of arrays travels as texts. */
function valueOf({ name, type }: NamedColumn): string {
  return isArray(type) ? `r.${name}::${type}` : `r.${name}`
}

function isArray(type: string): boolean {
  return type.endsWith('[]')
}

/** A parameter for each column, however many rows there are: the text does not depend on them. */
function unnest(columns: readonly NamedColumn[]): string {
  const parameters = columns.map(({ type }, index) => `$${index + 1}::${isArray(type) ? 'text' : type}[]`)
  return `unnest(${parameters.join(', ')}) as ${aliasOf(columns)}`
}

const aliasOf = (columns: readonly NamedColumn[]): string => `r (${namesOf(columns)})`

function toValues(rows: readonly object[], columns: readonly NamedColumn[]): unknown[] {
  return rows.flatMap(row => columns.map(({ key, type }) => toValue(row[key as keyof typeof row], type)))
}

function toArrays(rows: readonly object[], columns: readonly NamedColumn[]): unknown[][] {
  return columns.map(({ key, type }) => rows.map(row => toValue(row[key as keyof typeof row], type)))
}

function toValue(value: unknown, type: string): unknown {
  if (value === undefined || value === null) return null
  if (type === 'jsonb') return JSON.stringify(value)
  return Array.isArray(value) ? arrayText(value) : value
}

function arrayText(items: readonly unknown[]): string {
  return `{${items.map(item => `"${String(item).replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`
}

/** Deletes a batch of rows from before a moment; answers how many they were. */
export async function deleteOldRows(
  db: Queryable,
  { table, key, at }: { table: string; key: readonly string[]; at: string },
  before: Date,
  limit: number,
): Promise<number> {
  const columns = key.join(', ')
  const rows = await db.query(
    `delete from ${table} where (${columns}) in (select ${columns} from ${table} where ${at} < $1 limit $2) returning 1`,
    [before, limit],
  )
  return rows.length
}
