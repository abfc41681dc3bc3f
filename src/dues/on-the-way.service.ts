import type { Order } from '../orders/orders.rules.ts'
import { alreadyOnTheWay, type OnTheWay } from '../payments/on-the-way.rules.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Queryable } from '../platform/db/database.ts'
import { isAskedTwice, withoutTaken, type Share } from './dues.rules.ts'
import { readDues, readDuesOn, type Dues } from './dues.service.ts'

type Asked = { instituteId: number; studentId: string; lines: Share['lines'] }

/**
 * The rule that every way to pay a student's fees asks: what is on the way cannot be asked for a second time. `except` is the order
 * that is about to be paid itself.
 */
export async function refuseOnTheWay(
  ctx: { db: Queryable; clock: Context['clock'] },
  asked: Asked,
  except?: Pick<Order, 'id'>,
): Promise<void> {
  const taken = await findTaken(ctx, asked, except)
  if (taken.length > 0) throw alreadyOnTheWay(taken)
}

/** What is on the way and leaves less than these lines ask for; none where enough is left. */
export async function findTaken(
  { db, clock }: { db: Queryable; clock: Context['clock'] },
  { instituteId, studentId, lines }: Asked,
  except?: Pick<Order, 'id'>,
): Promise<OnTheWay[]> {
  const onTheWay = (await listOnTheWay(db, instituteId, [studentId])).filter(
    one => one.orderId !== except?.id,
  )
  if (onTheWay.length === 0) return []
  const key = { instituteId, studentId }
  const owed = (await readDuesOn(db, [key], dayOf(clock.now()))).get(studentId)
  if (owed === undefined || !isAskedTwice(lines, owed, withoutTaken(owed, onTheWay))) return []
  return ofTheSame(onTheWay, lines)
}

/** Keeps what pays some of these components; a promised loan may pay any. */
export function ofTheSame(onTheWay: readonly OnTheWay[], lines: Share['lines']): OnTheWay[] {
  const asked = new Set(lines.map(line => line.componentType))
  return onTheWay.filter(
    one => one.lines.length === 0 || one.lines.some(line => asked.has(line.componentType)),
  )
}

/** What students owe less what is on the way: what a family may be asked for today. All are of one institute. */
export async function readDuesLeft(
  ctx: Context,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, Dues & { isOnTheWay: boolean }>> {
  const [dues, onTheWay] = await Promise.all([
    readDues(
      ctx,
      studentIds.map(studentId => ({ instituteId, studentId })),
    ),
    listOnTheWay(ctx.db, instituteId, studentIds),
  ])
  const taken = Map.groupBy(onTheWay, one => one.studentId)
  return new Map(
    [...dues].map(([id, owed]) => {
      const own = taken.get(id) ?? []
      return [id, { ...withoutTaken(owed, own), isOnTheWay: own.length > 0 }]
    }),
  )
}
