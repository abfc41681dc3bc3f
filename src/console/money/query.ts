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

  /** ` and …` when there is a value, nothing otherwise. */
  and(value: unknown, condition: (place: string) => string): string {
    return value === undefined ? '' : ` and ${condition(this.add(value))}`
  }
}

/** What a text begins with, for `like`. */
export function prefixOf(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/** A page of what was read with one row too many, and where the next begins. */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { rows: Row[]; nextCursor: string | undefined } {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : undefined }
}
