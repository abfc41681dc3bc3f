import { DAY_MS } from '../calendar.ts'

/** When a daily backup is due. Times of day are Indian, as everything that a school reads. */
export type TimeOfDay = { hour: number; minute: number }

const INDIA_OFFSET_MS = 5.5 * 3_600_000
const RETRY_MS = 15 * 60_000
const LATE_MS = 2 * 3_600_000

/** Null when it is not a time such as 02:30. */
export function parseTimeOfDay(text: string): TimeOfDay | null {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hour === undefined ? null : { hour: Number(hour), minute: Number(minute) }
}

/** The first such time after the last backup, so one that was missed is made at the next start. At once when there is none. */
export function nextBackupAt(last: Date | null, at: TimeOfDay): Date {
  if (last === null) return new Date(0)
  const local = last.getTime() + INDIA_OFFSET_MS
  const today = local - (local % DAY_MS) + (at.hour * 60 + at.minute) * 60_000
  return new Date((today > local ? today : today + DAY_MS) - INDIA_OFFSET_MS)
}

export function retryAt(failedAt: Date): Date {
  return new Date(failedAt.getTime() + RETRY_MS)
}

/** Long enough after it was due that somebody has to look. */
export function isBackupLate(last: Date | null, at: TimeOfDay, now: Date): boolean {
  return last === null || now.getTime() > nextBackupAt(last, at).getTime() + LATE_MS
}

/** Sorts by time, and is read back to know when the last one was made. */
export function backupName(at: Date): string {
  return `bursar-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`
}

export function backupTime(name: string): Date | null {
  const [, year, month, day, hour, minute, second] =
    /^bursar-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/.exec(name) ?? []
  return year === undefined ? null : new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** The oldest beyond those that are kept. */
export function backupsToRemove(names: readonly string[], keep: number): string[] {
  const ours = names.filter(name => backupTime(name) !== null).sort()
  return ours.slice(0, Math.max(0, ours.length - keep))
}
