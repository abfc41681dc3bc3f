/** When families are reminded: so many days before, and only while people are awake. */
export const DAYS_BEFORE = [7, 3, 1] as const

const FIRST_MINUTE = 9 * 60
const LAST_MINUTE = 20 * 60
const INDIA_OFFSET_MINUTES = 330

export function isWakingHour(moment: Date): boolean {
  const minute = Math.floor(moment.getTime() / 60_000 + INDIA_OFFSET_MINUTES) % (24 * 60)
  return minute >= FIRST_MINUTE && minute < LAST_MINUTE
}

/** One message a family, whatever the number of its children. */
export function groupByFamily<Item extends { family: string }>(items: readonly Item[]): Item[][] {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(item.family, [...(groups.get(item.family) ?? []), item])
  return [...groups.values()]
}
