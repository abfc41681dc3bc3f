import { dueBefore, dueFrom, LATE_FEE, type LateFee, type OwedLine } from '../dues.rules.ts'
import { dayAfter } from '../../platform/calendar.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import {
  minPaise,
  type Paise,
  paiseOf,
  subtractPaise,
  sumPaise,
  toRupees,
  ZERO,
} from '../../platform/money.ts'

type Line = { componentType: string; amountPaise: Paise }
export type PaidChild = { studentId: string; lines: readonly Line[] }
/** The part of one way to pay that goes to one child; the numbers are indexes into the request. */
type TakingPart = { childNo: number; wayNo: number; lines: Line[]; amountPaise: Paise }

export function takingProblems(
  children: readonly PaidChild[],
  ways: readonly { amountPaise: Paise }[],
): FieldProblem[] {
  const twice = children.findIndex(
    ({ studentId }, index) => children.findIndex(one => one.studentId === studentId) < index,
  )
  if (twice >= 0) return [{ key: `children.${twice}.service_student_id`, message: 'stands twice' }]
  const owed = sumPaise(children.flatMap(child => child.lines.map(line => line.amountPaise)))
  const handed = sumPaise(ways.map(way => way.amountPaise))
  if (owed === handed) return []
  const message = `must add up to the fees that are paid, which is ${toRupees(owed)}; they are ${toRupees(handed)}`
  return [{ key: 'ways', message }]
}

/**
 * Divides what a family pays among the ways in which it hands it over, child by child. Late fees are paid by the first: a
 * payment that pays the last of a fee without its late fee would end that.
 */
export function divideAmongWays(
  children: readonly PaidChild[],
  ways: readonly { amountPaise: Paise }[],
): TakingPart[] {
  const lines = children.flatMap((child, childNo) =>
    lateFeesFirst(child.lines).map(line => ({ ...line, childNo })),
  )
  const parts: TakingPart[] = []
  let next = 0
  let left = lines[0]?.amountPaise
  for (const [wayNo, way] of ways.entries()) {
    let room = way.amountPaise
    while (room > 0 && left !== undefined) {
      const line = lines[next]
      if (line === undefined) break
      const amountPaise = minPaise(room, left)
      if (amountPaise > 0) addPart(parts, { ...line, wayNo, amountPaise })
      room = subtractPaise(room, amountPaise)
      left = subtractPaise(left, amountPaise)
      if (left === 0) left = lines[++next]?.amountPaise
    }
  }
  return parts
}

function lateFeesFirst(lines: readonly Line[]): Line[] {
  const isLate = ({ componentType }: Line): boolean => componentType === LATE_FEE
  return [...lines.filter(isLate), ...lines.filter(line => !isLate(line))]
}

function addPart(
  parts: TakingPart[],
  { childNo, wayNo, componentType, amountPaise }: Line & { childNo: number; wayNo: number },
): void {
  const line = { componentType, amountPaise }
  const same = parts.find(part => part.childNo === childNo && part.wayNo === wayNo)
  if (same === undefined) parts.push({ childNo, wayNo, lines: [line], amountPaise })
  else {
    same.lines.push(line)
    same.amountPaise = sumPaise([same.amountPaise, amountPaise])
  }
}

/** The amount of a fee that can be taken now, and how much of it each button takes, which holds all that the one before holds. */
export type CounterFee = {
  componentType: string
  leftPaise: Paise
  dueOn: string | null
  overduePaise: Paise
  termPaise: Paise
  everythingPaise: Paise
}

type OpenLine = OwedLine & { plannedPaise: Paise }
type OpenDues = { lines: readonly OpenLine[]; lateFees: readonly LateFee[] }

/** What an instalment plan takes in its own time is not offered; a clerk can still type it. */
function openOf({ owedPaise, plannedPaise }: OpenLine): Paise {
  return subtractPaise(owedPaise, minPaise(owedPaise, plannedPaise))
}

/** The next day on which something of the family falls due; null when nothing of it has a day ahead. */
export function nextDueDay(family: readonly OpenDues[], today: string): string | null {
  const days = family.flatMap(dues => dues.lines.flatMap(line => dueFrom(line, today)))
  return days.map(({ dueOn }) => dueOn).toSorted()[0] ?? null
}

/** The fees of one child as the counter offers them, late fees first: paid last, they would lapse with what they are for. */
export function counterFeesOf(
  { lines, lateFees }: OpenDues,
  { today, nextDay }: { today: string; nextDay: string | null },
): CounterFee[] {
  const termEnd = nextDay === null ? today : dayAfter(nextDay)
  const fees = lines
    .filter(line => line.owedPaise > 0)
    .map(line => ({
      componentType: line.componentType,
      leftPaise: line.owedPaise,
      dueOn: line.dueOn,
      overduePaise: dueBefore(line, today),
      termPaise: dueBefore(line, termEnd),
      everythingPaise: openOf(line),
    }))
  const charged = fees.find(fee => fee.componentType === LATE_FEE)
  const growing = sumPaise(lateFees.map(fee => fee.amountPaise))
  const late = {
    componentType: LATE_FEE,
    dueOn: charged?.dueOn ?? null,
    leftPaise: paiseOf((charged?.leftPaise ?? ZERO) + growing),
    overduePaise: paiseOf((charged?.overduePaise ?? ZERO) + growing),
    termPaise: paiseOf((charged?.termPaise ?? ZERO) + growing),
    everythingPaise: paiseOf((charged?.everythingPaise ?? ZERO) + growing),
  }
  const others = fees.filter(fee => fee !== charged)
  return late.leftPaise > 0 ? [late, ...others] : others
}
