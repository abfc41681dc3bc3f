import type { FieldProblem } from '../../platform/errors.ts'
import { minPaise, subtractPaise, sumPaise, toRupees, type Paise } from '../../platform/money.ts'
import { LATE_FEE } from '../dues.rules.ts'

type Line = { componentType: string; amountPaise: Paise }
export type PaidChild = { studentId: string; lines: readonly Line[] }
/** What one way pays of one child; the numbers are places in what was sent. */
export type TakingPart = { childNo: number; wayNo: number; lines: Line[]; amountPaise: Paise }

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
