import { LATE_FEE, type LateFee, type OwedLine } from '../dues.rules.ts'
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

/** What a clerk proposes to a family with one button. Each holds all that the one before it holds. */
type CounterOffer = 'overdue' | 'term' | 'everything'

/** The amount of a fee that can be taken now, and how much of it each offer takes. */
export type CounterFee = {
  componentType: string
  leftPaise: Paise
  dueOn: string | null
  overduePaise: Paise
  termPaise: Paise
  everythingPaise: Paise
}

type OpenLine = OwedLine & { plannedPaise: Paise; dueOn: string | null; lateRuleId: string | null }
type OpenDues = { lines: readonly OpenLine[]; lateFees: readonly LateFee[] }

/** What an instalment plan takes in its own time is not offered; a clerk can still type it. */
function openOf({ owedPaise, plannedPaise }: OpenLine): Paise {
  return subtractPaise(owedPaise, minPaise(owedPaise, plannedPaise))
}

/** The next day on which something of the family falls due; null when nothing of it has a day ahead. */
export function nextDueDay(family: readonly OpenDues[], today: string): string | null {
  const days = family
    .flatMap(dues => dues.lines)
    .filter(line => openOf(line) > 0 && line.dueOn !== null && line.dueOn >= today)
    .map(line => line.dueOn ?? '')
  return days.toSorted()[0] ?? null
}

/** The fees of one child as the counter offers them, late fees first: paid last, they would lapse with what they are for. */
export function counterFeesOf(
  { lines, lateFees }: OpenDues,
  { today, nextDay }: { today: string; nextDay: string | null },
): CounterFee[] {
  const isOffered: Record<CounterOffer, (line: OpenLine) => boolean> = {
    overdue: ({ isCarried = false, dueOn }) => isCarried || (dueOn !== null && dueOn < today),
    term: line =>
      isOffered.overdue(line) || (line.dueOn !== null && nextDay !== null && line.dueOn <= nextDay),
    everything: () => true,
  }
  const takes = (offer: CounterOffer, line: OpenLine): Paise => (isOffered[offer](line) ? openOf(line) : ZERO)
  const lateIn = (offer: CounterOffer): Paise =>
    sumPaise(
      lateFees
        .filter(({ ruleId }) => {
          const own = lines.filter(line => line.lateRuleId === ruleId)
          return own.some(line => takes(offer, line) > 0) || own.every(line => openOf(line) === 0)
        })
        .map(fee => fee.amountPaise),
    )
  const fees = lines
    .filter(line => line.owedPaise > 0)
    .map(line => ({
      componentType: line.componentType,
      leftPaise: line.owedPaise,
      dueOn: line.dueOn,
      overduePaise: takes('overdue', line),
      termPaise: takes('term', line),
      everythingPaise: takes('everything', line),
    }))
  const charged = fees.find(fee => fee.componentType === LATE_FEE)
  const late = {
    componentType: LATE_FEE,
    dueOn: charged?.dueOn ?? null,
    leftPaise: sumPaise([charged?.leftPaise ?? ZERO, ...lateFees.map(fee => fee.amountPaise)]),
    // A late fee that was charged earlier is owed since then.
    overduePaise: paiseOf((charged?.leftPaise ?? ZERO) + lateIn('overdue')),
    termPaise: paiseOf((charged?.leftPaise ?? ZERO) + lateIn('term')),
    everythingPaise: paiseOf((charged?.leftPaise ?? ZERO) + lateIn('everything')),
  }
  const others = fees.filter(fee => fee !== charged)
  return late.leftPaise > 0 ? [late, ...others] : others
}
