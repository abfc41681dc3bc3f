import { dayOf } from '../../../src/platform/calendar.ts'
import type { Random } from '../../sim/random.ts'
import type { Pupil } from './erp.ts'

const SCHOOLS = [
  { code: 'demo-school', branch: 'MAIN', isCustom: false, weight: 4 },
  { code: 'demo-group', branch: 'NORTH', isCustom: false, weight: 3 },
  // The branch whose ERP sends schedules of its own.
  { code: 'demo-group', branch: 'SOUTH', isCustom: true, weight: 2 },
] as const

const DAY_MS = 86_400_000

/** A pupil of one of the schools, with fees and, where its ERP makes them, a schedule. */
export function drawPupil({ random, now }: { random: Random; now: Date }, n: number): Pupil {
  const { code, branch, isCustom } = random.weighed(SCHOOLS)
  const fees = new Map([['TUITION_FEE', random.between(15_000_00, 95_000_00)]])
  if (random.chance(0.6)) fees.set('TRANSPORT_FEE', random.between(100_00, 20_000_00))
  const pupil: Pupil = {
    school: code,
    branch,
    isCustom,
    identifier: `P-${n}`,
    studentId: '',
    planId: '',
    fees,
    rows: [],
    payments: [],
    receipts: 0,
    refusal: null,
    emptyUntil: '',
    asked: 0,
    touchedAt: 0,
  }
  if (isCustom) pupil.rows = drawRows(pupil, random, now)
  return pupil
}

function drawRows({ fees, identifier }: Pupil, random: Random, now: Date): Pupil['rows'] {
  const count = random.between(3, 9)
  const start = now.getTime() + 12 * DAY_MS
  return Array.from({ length: count }, (_, n) => ({
    reference_id: `${identifier}-${n}`,
    due_date: dayOf(new Date(start + n * 31 * DAY_MS + random.between(0, 9) * DAY_MS)),
    details: [...fees].map(([type, total]) => {
      const part = Math.floor(total / count)
      return { component_type: type, paise: n === count - 1 ? total - part * (count - 1) : part }
    }),
  }))
}
