/** When families are reminded: so many days before. */
export const DAYS_BEFORE = [7, 3, 1] as const

/** One message a family, whatever the number of its children. */
export function groupByFamily<Item extends { family: string }>(items: readonly Item[]): Item[][] {
  return [...Map.groupBy(items, ({ family }) => family).values()]
}

/** Leaves out the last family of a full page: the rest of it may be on the next one. */
export function wholeFamilies<Item extends { family: string }>(page: readonly Item[], limit: number): Item[] {
  const last = page.at(-1)?.family
  const whole = page.filter(({ family }) => family !== last)
  return page.length < limit || whole.length === 0 ? [...page] : whole
}
