import type { Order } from '../orders/orders.rules.ts'
import { alreadyOnTheWay, type OnTheWay } from '../payments/on-the-way.rules.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Queryable } from '../platform/db/database.ts'
import { sumPaise } from '../platform/money.ts'
import { isAskedTwice, withoutTaken, type Share } from './dues.rules.ts'
import { readDues, readDuesOn, type Dues } from './dues.service.ts'

type AskedShare = { instituteId: number; studentId: string; lines: Share['lines'] }

/**
 * The rule that every way to pay a student's fees asks: what is on the way cannot be asked for a second time. `except` is the order
 * that is about to be paid itself.
 */
export async function refuseOnTheWay(
  ctx: { db: Queryable; clock: Context['clock'] },
  asked: AskedShare,
  except?: Pick<Order, 'id'>,
): Promise<void> {
  const taken = await findTaken(ctx, asked, except)
  if (taken.length > 0) throw alreadyOnTheWay(taken)
}

/** What is on the way and leaves less than these lines ask for; none where enough is left. */
export async function findTaken(
  { db, clock }: { db: Queryable; clock: Context['clock'] },
  { instituteId, ...asked }: AskedShare,
  except?: Pick<Order, 'id'>,
): Promise<OnTheWay[]> {
  const [taken = []] = await findTakenOfEach(db, instituteId, [asked], { now: clock.now(), except })
  return taken
}

/** The same of many, in the order of what they ask for; a handful of statements however many. */
export async function findTakenOfEach(
  db: Queryable,
  instituteId: number,
  asked: readonly Omit<AskedShare, 'instituteId'>[],
  { now, except }: { now: Date; except?: Pick<Order, 'id'> | undefined },
): Promise<OnTheWay[][]> {
  const ids = [...new Set(asked.map(one => one.studentId))]
  const onTheWay = Map.groupBy(
    (await listOnTheWay(db, instituteId, ids)).filter(one => one.orderId !== except?.id),
    one => one.studentId,
  )
  const keys = [...onTheWay.keys()].map(studentId => ({ instituteId, studentId }))
  const today = dayOf(now)
  const dues = await readDuesOn(db, keys, today)
  return asked.map(({ studentId, lines }) => {
    const [owed, taken] = [dues.get(studentId), onTheWay.get(studentId)]
    if (owed === undefined || taken === undefined) return []
    if (!isAskedTwice(lines, owed, withoutTaken(owed, taken))) return []
    // What is late is expected any day: nobody is told to come back on a day that has passed.
    return ofTheSame(taken, lines).map(one => ({ ...one, until: one.until < today ? today : one.until }))
  })
}

/** Keeps what pays some of these components, and of it that part alone; a promised loan may pay any. */
export function ofTheSame(onTheWay: readonly OnTheWay[], lines: Share['lines']): OnTheWay[] {
  const asked = new Set(lines.map(line => line.componentType))
  return onTheWay.flatMap(one => {
    if (one.lines.length === 0) return one
    const shared = one.lines.filter(line => asked.has(line.componentType))
    const amountPaise = sumPaise(shared.map(line => line.amountPaise))
    return shared.length === 0 ? [] : { ...one, lines: shared, amountPaise }
  })
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
