import type { FieldProblem } from '../../platform/errors.ts'
import { formatRupees, minPaise, paiseOf, subtractPaise, ZERO, type Paise } from '../../platform/money.ts'
import { branchAfter } from '../../students/profile/profile.rules.ts'
import type { ErpRecord, ScheduleRow } from '../erp.rules.ts'
import { addAll } from '../../platform/lists.ts'

const SCHEDULE = 'data.payment_schedule'
const MOST_NAMED = 100

export type StudentHere = {
  branches: readonly { collectorCode: string }[]
  /** The student here; null when none is registered. */
  student: { hasFees: boolean; paid: ReadonlyMap<string, Paise> } | null
  isCustomSchedule: boolean
  today: string
}

/** What a pull of this record would refuse, leave out or cut. */
export function recordDifferences(record: ErpRecord, known: StudentHere): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (branchAfter(known, { collectorCode: '' }, record) === null)
    problems.push({
      key: 'data.student.collector_code',
      message: `names no branch of this institute: ${record.collectorCode}; a fetch would be a data_error`,
    })
  if (record.fees.length === 0 && known.student?.hasFees === true)
    problems.push({
      key: 'data.fee_components',
      message: 'is empty, and the student has fees; a fetch would be a data_error',
    })
  if (!known.isCustomSchedule || record.paymentSchedule === null) return problems
  const paid = known.student?.paid
  const owed = new Map(
    record.fees.map(({ componentType, feePaise }) => {
      return [componentType, paiseOf(Math.max(feePaise - (paid?.get(componentType) ?? 0), 0))]
    }),
  )
  return [...problems, ...scheduleDifferences(record.paymentSchedule, owed, known.today)]
}

/**
 * Where a plan would depart from the rows of a custom schedule: a row in the past is ignored, a mandate is debited once a
 * day, never more is taken of a component than is owed, the latest rows giving way first, and what the rows leave open
 * stays due outside the plan.
 */
export function scheduleDifferences(
  rows: readonly ScheduleRow[],
  owed: ReadonlyMap<string, Paise>,
  today: string,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const days = new Map<string, number>()
  const left = new Map(owed)
  for (const [index, row] of inOrder(rows)) {
    const at = `${SCHEDULE}.${index}`
    if (!row.isDownpayment && row.dueDate < today) {
      problems.push({ key: `${at}.due_date`, message: 'lies in the past; the row is ignored' })
      continue
    }
    const other = row.isDownpayment ? undefined : days.get(row.dueDate)
    if (other !== undefined)
      problems.push({
        key: `${at}.due_date`,
        message: `is that of ${SCHEDULE}.${other} too; a mandate is debited once a day, so this row is debited on the next bank day`,
      })
    else if (!row.isDownpayment) days.set(row.dueDate, index)
    addAll(problems, takeLines(row, left, at))
  }
  const open = [...left].filter(([, amount]) => amount > 0)
  const leftOpen = open.map(([type, amount]) => ({
    key: SCHEDULE,
    message: `leaves ${formatRupees(amount)} of ${type} open, which stays due outside the plan`,
  }))
  return [...problems, ...leftOpen].slice(0, MOST_NAMED)
}

/** The down payment first, then by day: what comes late gives way. */
function inOrder(rows: readonly ScheduleRow[]): [number, ScheduleRow][] {
  return [...rows.entries()].toSorted(
    ([, one], [, other]) =>
      Number(other.isDownpayment) - Number(one.isDownpayment) || one.dueDate.localeCompare(other.dueDate),
  )
}

function takeLines(row: ScheduleRow, left: Map<string, Paise>, at: string): FieldProblem[] {
  return row.details.flatMap(({ componentType, amountPaise }, index) => {
    const rest = left.get(componentType) ?? ZERO
    const taken = minPaise(rest, amountPaise)
    left.set(componentType, subtractPaise(rest, taken))
    if (taken === amountPaise) return []
    const above = formatRupees(subtractPaise(amountPaise, taken))
    const message = `is ${above} more of ${componentType} than is owed; so much of it gives way`
    return [{ key: `${at}.details.${index}.amount`, message }]
  })
}
