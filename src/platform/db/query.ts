/** A statement with its values, to be read a page at a time or through a cursor. */
export type Query = { text: string; values: readonly unknown[] }

/** Collects the values of a statement while its text is written. */
export class Values {
  readonly list: unknown[]

  constructor(...first: unknown[]) {
    this.list = first
  }

  /** The place that the value takes in the text. */
  add(value: unknown): string {
    return `$${this.list.push(value)}`
  }
}

/** What a text begins with, for `like`. */
export function prefixOf(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/**
 * That a column is one of these, which are the statement's parameter of that number. For one alone it is said by `=`: of
 * `any` PostgreSQL expects ten, finds no plan that is worth keeping and makes one each time.
 */
export function oneOf<Value>(
  column: string,
  values: readonly Value[],
  parameter = 1,
): { is: string; value: Value | readonly Value[] } {
  const [first] = values
  return values.length === 1 && first !== undefined
    ? { is: `${column} = $${parameter}`, value: first }
    : { is: `${column} = any($${parameter})`, value: values }
}

/** ` limit …` of a page; a file has all rows. */
export function limitOf(values: unknown[], range: { limit: number } | undefined): string {
  return range === undefined ? '' : ` limit $${values.push(range.limit)}`
}

/**
 * A condition: jobs may work on rows of this school. Those of one that is arriving from another cell are worked on there
 * until it has arrived, and one that is about to leave is left alone, so that nothing is cut off in the middle.
 */
export function isHere(column = 'institute_id'): string {
  return `${column} not in (select school_id from moving_schools where held_until > clock_timestamp())`
}
