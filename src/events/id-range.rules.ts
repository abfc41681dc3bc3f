import { firstIdAt, momentOf } from '../platform/ids.ts'
import { DAY_MS } from '../platform/calendar.ts'

/** Part of the log by its ids: the months of other ids are not read. */
export type Ids = { fromId?: string | undefined; belowId?: string | undefined }

/** Ids are dated by the clocks of processes and events by the database's. Those that differ by a day have other troubles. */
const SKEW_MS = DAY_MS
/** A month of ids and what stands around it: two partitions, or three. */
const NEAR_MS = 31 * DAY_MS

type Page = { order: 'newest' | 'oldest'; cursor?: string | undefined }
type Recorded = { from?: Date | undefined; before?: Date | undefined }

/**
 * Which ids a page of events may have: those around its cursor, or now, in which most pages are found, and all. The list
 * goes by sequence, which rises with the moment of recording and not with the id, so a page of the near ones is whole only
 * if its last event was recorded a day within them.
 */
export function idRanges(
  { order, cursor }: Page,
  recorded: Recorded,
  now: Date,
): { all: Ids; near: { ids: Ids; isWhole: (last: Date) => boolean } | null } {
  const isNewest = order === 'newest'
  const at = cursor === undefined ? null : momentOf(cursor)
  const from = latest(shift(recorded.from, -SKEW_MS), isNewest ? undefined : shift(at, -SKEW_MS))
  const before = earliest(shift(recorded.before, SKEW_MS), isNewest ? shift(at, SKEW_MS) : undefined)
  const all = idsOf(from, before)
  if (isNewest) {
    const edge = new Date((at ?? now).getTime() - NEAR_MS)
    const isWhole = (last: Date): boolean => last.getTime() - SKEW_MS > edge.getTime()
    return { all, near: { ids: idsOf(latest(from, edge), before), isWhole } }
  }
  const edge = shift(at, NEAR_MS)
  // What comes after it is yet to be recorded, or little.
  if (edge === undefined || edge > now) return { all, near: null }
  const isWhole = (last: Date): boolean => last.getTime() + SKEW_MS < edge.getTime()
  return { all, near: { ids: idsOf(from, earliest(before, edge)), isWhole } }
}

function idsOf(from: Date | undefined, before: Date | undefined): Ids {
  return { fromId: from && firstIdAt('evt', from), belowId: before && firstIdAt('evt', before) }
}

/** Ids have no moments before 1970. */
function shift(moment: Date | null | undefined, byMs: number): Date | undefined {
  return moment ? new Date(Math.max(0, moment.getTime() + byMs)) : undefined
}

function latest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other ? one : other
}

function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
