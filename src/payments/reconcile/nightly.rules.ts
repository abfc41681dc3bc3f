import { dayAfter, dayOf, startOfDay } from '../../platform/calendar.ts'

/** What the last complete round over all institutes found. */
export type NightlyCheck = {
  /** When it was complete, ISO 8601. */
  at: string
  institutes: number
  differences: number
  /** Codes of institutes whose books do not agree, the first few. */
  differing: string[]
  /** Codes of institutes that could not be checked, the first few. */
  unchecked: string[]
}

/** A round goes from institute to institute, one at a time. */
export type NightlyRound = {
  dueAt: string
  /** The last institute that was checked; 0: none yet. */
  after: number
  /** Until then somebody checks the next one. */
  leasedUntil: string | null
  found: Omit<NightlyCheck, 'at'>
  last: NightlyCheck | null
}

const HOUR_MS = 3_600_000
const LEASE_MS = 15 * 60_000
const MOST_NAMED = 20
const NOTHING = { institutes: 0, differences: 0, differing: [], unchecked: [] }

/** Two o'clock of the next night. */
function nextNight(now: Date): string {
  return new Date(startOfDay(dayAfter(dayOf(now))).getTime() + 2 * HOUR_MS).toISOString()
}

export function firstRound(now: Date): NightlyRound {
  return { dueAt: nextNight(now), after: 0, leasedUntil: null, found: NOTHING, last: null }
}

/** Whether the next institute is to be checked now, and by nobody else. */
export function isFree({ dueAt, leasedUntil }: NightlyRound, now: Date): boolean {
  const isLeased = leasedUntil !== null && new Date(leasedUntil) > now
  return new Date(dueAt) <= now && !isLeased
}

export function leased(round: NightlyRound, now: Date): NightlyRound {
  return { ...round, leasedUntil: new Date(now.getTime() + LEASE_MS).toISOString() }
}

/** Null: it could not be checked. */
export function withChecked(
  round: NightlyRound,
  institute: { id: number; code: string },
  differences: number | null,
): NightlyRound {
  const { found } = round
  const named = (codes: string[], isMeant: boolean): string[] =>
    isMeant ? [...codes, institute.code].slice(0, MOST_NAMED) : codes
  return {
    ...round,
    after: institute.id,
    leasedUntil: null,
    found: {
      institutes: found.institutes + 1,
      differences: found.differences + (differences ?? 0),
      differing: named(found.differing, differences !== null && differences > 0),
      unchecked: named(found.unchecked, differences === null),
    },
  }
}

export function completed({ found }: NightlyRound, now: Date): NightlyRound {
  return { ...firstRound(now), last: { at: now.toISOString(), ...found } }
}
