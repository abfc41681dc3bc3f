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

/** ` limit …` of a page; a file has all rows. */
export function limitOf(values: unknown[], range: { limit: number } | undefined): string {
  return range === undefined ? '' : ` limit $${values.push(range.limit)}`
}
