import { useSession } from '../api/session.ts'

/** Moments are shown in Indian time, with UTC on hover and how long ago beside them. */
const INDIA = 'Asia/Kolkata'
const MOMENT = new Intl.DateTimeFormat('en-IN', {
  timeZone: INDIA,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const DAY = new Intl.DateTimeFormat('en-IN', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const SHORT_DAY = new Intl.DateTimeFormat('en-IN', { timeZone: 'UTC', day: 'numeric', month: 'short' })

/** 15 Nov 2026, 9:30 am IST */
export function formatMoment(iso: string): string {
  return `${MOMENT.format(new Date(iso))} IST`
}

/** 15 Nov 2026, of a day that has no time zone. */
export function formatDay(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`))
}

export function isDay(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** Reasons that were stored contain days as the database writes them. */
export function formatDaysIn(text: string): string {
  return text.replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, day => (isDay(day) ? formatDay(day) : day))
}

export function formatShortDay(day: string): string {
  return SHORT_DAY.format(new Date(`${day}T00:00:00Z`))
}

const UNITS = [
  { ms: 86_400_000, label: 'd' },
  { ms: 3_600_000, label: 'h' },
  { ms: 60_000, label: 'min' },
] as const

/** 2 h ago, in 3 d; just now within a minute. */
function formatAgo(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  const unit = UNITS.find(one => Math.abs(ms) >= one.ms)
  if (unit === undefined) return 'just now'
  const amount = `${Math.floor(Math.abs(ms) / unit.ms)} ${unit.label}`
  return ms >= 0 ? `${amount} ago` : `in ${amount}`
}

let driftMs = 0

/** The moment by the server's clock, which a sandbox may have moved. */
function useNow(isReal = false): number {
  const now = useSession()?.now
  if (now !== undefined) driftMs = known(now)
  return Date.now() + (isReal ? 0 : driftMs)
}

let last = { sent: '', driftMs: 0 }

function known(sent: string): number {
  if (last.sent !== sent) last = { sent, driftMs: Date.parse(sent) - Date.now() }
  // The time that a request takes is no drift.
  return Math.abs(last.driftMs) < 60_000 ? 0 : last.driftMs
}

/** `isReal` for what runs on real time in a sandbox too, such as sessions. */
export function When({ at, isReal = false }: { at: string; isReal?: boolean }) {
  const now = useNow(isReal)
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').replace(/\.\d+Z$|Z$/, '')} UTC`}>
      <span className="nowrap">{formatMoment(at)}</span>{' '}
      <span className="faint together">{formatAgo(at, now)}</span>
    </time>
  )
}

/** People at the counter often note the day alone, which is midnight in India. */
function formatPaid(at: string): string {
  const text = formatMoment(at)
  return at.endsWith('T18:30:00.000Z') ? text.replace(/,[^,]*$/, '') : text
}

export function PaidAt({ at }: { at: string }) {
  const text = formatPaid(at)
  return text === formatMoment(at) ? <When at={at} /> : <span className="nowrap">{text}</span>
}

/** The academic year, such as 2026-27. */
export function yearName(start: number, end: number): string {
  return start === end ? String(start) : `${start}-${String(end).slice(-2)}`
}
