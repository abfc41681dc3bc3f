import type { Behaviour } from '../../harness/receiver.ts'
import { found, json, refusal, sampleRecord } from '../../harness/fakes/erp.ts'
import type { Random } from '../../sim/random.ts'

/** What an ERP's answer depends on: the town's day, its luck, and whether everybody behaves by now. */
type Surroundings = { now: Date; today: string; isCalm: boolean; lot(...names: (string | number)[]): Random }

/** A pupil as its school's ERP has it: the truth that Bursar asks for. */
export type Pupil = {
  school: 'demo-school' | 'demo-group'
  branch: string
  isCustom: boolean
  identifier: string
  studentId: string
  planId: string
  /** Totals in paise, before payments. */
  fees: Map<string, number>
  /** Of a school with schedules of its own. */
  rows: {
    reference_id: string
    due_date: string
    details: { component_type: string; paise: number }[]
  }[]
  /** Paid at the school's counter. */
  payments: object[]
  /** How many the counter ever took: a number is not used again when a payment is cancelled. */
  receipts: number
  /** What the ERP says instead, up to a day. */
  refusal: { code: string; until: string } | null
  /** Until that day the ERP answers without any fee. */
  emptyUntil: string
  /** How often the ERP was asked about it. */
  asked: number
  /** When its fees or payments last changed by what is not Flex. */
  touchedAt: number
}

const WORDS: Record<string, string> = {
  student_not_found: 'We do not know this student.',
  student_discontinued: 'The student has left the school.',
  student_transferred: 'The student has gone to another branch.',
  data_error: 'The record of this student is being corrected.',
  fees_frozen: 'The fees are being decided on.',
}

/** What the ERP answers about a pupil now: mostly the truth, sometimes nothing that makes sense. */
export function answerOf(town: Surroundings, pupil: Pupil): Behaviour {
  const { today } = town
  if (pupil.refusal !== null && today <= pupil.refusal.until) {
    const { code } = pupil.refusal
    return refusal(code, WORDS[code] ?? 'Not now.')
  }
  const hour = Math.floor(((town.now.getTime() / 3_600_000 + 5.5) % 24) + 24) % 24
  const outage = town.lot('outage', pupil.school, today)
  if (!town.isCalm && outage.chance(0.05) && hour >= outage.between(0, 12) && hour < outage.between(3, 24))
    return 'destroy'
  const record = recordOf(pupil)
  if (today <= pupil.emptyUntil) return found({ ...record, fee_components: [] })
  return (town.isCalm ? null : troubleOf(town, pupil)) ?? found(record)
}

/** Some take their time to answer. */
export function isSlow(town: Surroundings, pupil: Pupil): boolean {
  return !town.isCalm && town.lot('slow', pupil.identifier, pupil.asked).chance(0.03)
}

function troubleOf(town: Surroundings, pupil: Pupil): Behaviour | null {
  const lot = town.lot('trouble', pupil.identifier, ++pupil.asked)
  if (!lot.chance(0.08)) return null
  const record = recordOf(pupil)
  return (
    lot.pick<Behaviour>([
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Maintenance</h1>' },
      { status: 500, body: 'stack trace' },
      { status: 401, body: '' },
      'destroy',
      'close-mid-answer',
      json(200, { status: 'success' }),
      found({ ...record, fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 'much' }] }),
      found({ ...record, student: { ...record.student, identifier: 'somebody-else' } }),
      json(422, { status: 'error', message: 'no code' }),
    ]) ?? null
  )
}

function recordOf({ identifier, branch, fees, rows, isCustom }: Pupil) {
  const sent = sampleRecord(
    { identifier, collector_code: branch, fullname: `Pupil ${identifier}` },
    { fee_components: [...fees].map(([type, paise]) => ({ component_type: type, fee_amount: paise / 100 })) },
  )
  if (!isCustom) return sent
  return {
    ...sent,
    payment_schedule: rows.map(row => ({
      ...row,
      details: row.details.map(one => ({ component_type: one.component_type, amount: one.paise / 100 })),
    })),
  }
}
