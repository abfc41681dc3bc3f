import type { Queryable, Transaction } from '../platform/db/database.ts'
import { notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { dayOf } from '../platform/calendar.ts'
import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { withoutLines } from '../students/direct-payments/direct-payments.rules.ts'
import { dueDayOf, readDueDays } from '../fees/structures/structures.service.ts'
import { balanceOf, summariseFees, type Discount } from '../fees/fees.rules.ts'
import { readStudentContexts, type StudentContext } from '../students/student-contexts.service.ts'
import {
  datedRule,
  lateFeesOn,
  leftByDay,
  owedOf,
  ruleFor,
  type Allocation,
  type DuePart,
  type LateFee,
  type Owed,
  type PartPayment,
  type Redeemed,
  type Share,
} from './dues.rules.ts'
import { readCarried, readPlanned, readRedeemed, readRules } from './dues.store.ts'
import { readLocked } from '../orders/order-payments.service.ts'
import { cancelLocked, listPayable } from '../orders/orders.service.ts'
import type { YearEnd } from '../students/rollover/rollover.service.ts'

export type DueLine = {
  componentType: string
  feePaise: Paise
  discounts: readonly Discount[]
  paidPaise: Paise
  owedPaise: Paise
  /** How much of that an instalment plan will take. */
  plannedPaise: Paise
  /**
   * The due day of the institute's calendar, of the plan that missed it, or of the oldest part that was carried; null when
   * none of them has one.
   */
  dueOn: string | null
  /** The part left of earlier years, by the day on which it fell due; null when nothing was carried to this line. */
  carriedParts: readonly DuePart[] | null
  /** The line comes from an earlier academic year. */
  isCarried: boolean
  /** The day that late fees are counted from: what was carried bears those of the year that it was carried to. */
  lateFrom: string | null
  /** The late fee that grows while this line is due. */
  lateRuleId: string | null
  /** A part that no plan will take is past its due day. */
  isLate: boolean
}

/** What a student owes today, and how it may be paid. */
export type Dues = {
  /** The day for which they are read. */
  today: string
  context: StudentContext
  /** Components in the order registered. */
  lines: DueLine[]
  lateFees: LateFee[]
  owedPaise: Paise
  lateFeePaise: Paise
  /** Both together. */
  totalPaise: Paise
  advancePaise: Paise
  partPayment: PartPayment
  allocation: Allocation
}

type StudentKey = { instituteId: number; studentId: string }

/** Reads dues by student id with four statements, however many students there are. */
export async function readDues(ctx: Context, keys: readonly StudentKey[]): Promise<Map<string, Dues>> {
  return readDuesOn(ctx.db, keys, dayOf(ctx.clock.now()))
}

const PART = 500

/** What students owe, for lists and sheets of thousands. */
export async function readOwed(
  db: Queryable,
  keys: readonly StudentKey[],
  today: string,
): Promise<Map<string, Owed>> {
  const found = new Map<string, Owed>()
  for (let from = 0; from < keys.length; from += PART)
    for (const [id, dues] of await readDuesOn(db, keys.slice(from, from + PART), today))
      found.set(id, owedOf(dues))
  return found
}

export async function getDues(ctx: Context, key: StudentKey): Promise<Dues> {
  const dues = (await readDues(ctx, [key])).get(key.studentId)
  if (dues === undefined) throw notFound('This student')
  return dues
}

/** What students owe by student and component, by the days on which it fell due; inside a transaction that has locked them. */
async function readDueParts(
  tx: Transaction,
  keys: readonly StudentKey[],
  today: string,
): Promise<Map<string, Map<string, readonly DuePart[]>>> {
  const dues = await readDuesOn(tx, keys, today)
  return new Map([...dues].map(([id, { lines }]) => [id, new Map(lines.map(partsOf))]))
}

function partsOf({ componentType, owedPaise, dueOn, carriedParts }: DueLine): [string, readonly DuePart[]] {
  return [componentType, carriedParts ?? [{ dueOn, amountPaise: owedPaise }]]
}

/** The late fees that were asked for until a payment came; its lines are counted as paid already. */
export async function readLateFeesBefore(
  tx: Transaction,
  key: StudentKey,
  { lines, today }: { lines: Share['lines']; today: string },
): Promise<LateFee[]> {
  const context = (await readStudentContexts(tx, [key])).get(key.studentId)
  const rules = (await readRules(tx, [key.instituteId])).get(key.instituteId)
  if (context === undefined || rules === undefined) return []
  const redeemed = (await readRedeemed(tx, [key])).get(key.studentId) ?? new Map<string, Redeemed>()
  const dueDays = await readDueDays(tx, [key.instituteId])
  const paid = withoutLines(context.paid, lines)
  const planned = (await readPlanned(tx, [key])).get(key.studentId)
  const owed = context.fees.map(fee => {
    const owedPaise = balanceOf(fee, paid.get(fee.componentType) ?? ZERO).outstandingPaise
    const ownPlan = planned?.get(fee.componentType)
    return {
      componentType: fee.componentType,
      amountPaise: subtractPaise(owedPaise, minPaise(owedPaise, ownPlan?.amountPaise ?? ZERO)),
      dueOn: ownPlan?.missedOn ?? dueDayOf(dueDays, key.instituteId, context.student, fee.componentType),
    }
  })
  return lateFeesOn(today, owed, rules.lateFees, redeemed)
}

/** Reads the dues as of a day; the caller's transaction has locked the student. */
export async function readDuesOn(
  db: Queryable,
  keys: readonly StudentKey[],
  today: string,
): Promise<Map<string, Dues>> {
  if (keys.length === 0) return new Map()
  const contexts = await readStudentContexts(db, keys)
  const rules = await readRules(
    db,
    keys.map(key => key.instituteId),
  )
  const redeemed = await readRedeemed(db, keys)
  const planned = await readPlanned(db, keys)
  const carried = await readCarried(db, keys)
  const dueDays = await readDueDays(
    db,
    keys.map(key => key.instituteId),
  )
  return new Map(
    keys.flatMap(({ instituteId, studentId }) => {
      const context = contexts.get(studentId)
      const ofInstitute = rules.get(instituteId)
      if (context === undefined || ofInstitute === undefined) return []
      const { partPayment, allocation } = ofInstitute
      const lines = context.fees.map(fee => {
        const paidPaise = context.paid.get(fee.componentType) ?? ZERO
        const owedPaise = balanceOf(fee, paidPaise).outstandingPaise
        const { componentType, feePaise, discounts } = fee
        const ownPlan = planned.get(studentId)?.get(componentType)
        const ownDueOn = dueDayOf(dueDays, instituteId, context.student, componentType)
        const lateFrom =
          ownPlan?.missedOn ?? ownDueOn ?? ruleFor(ofInstitute.lateFees, componentType)?.dueOn ?? null
        const plannedPaise = minPaise(owedPaise, ownPlan?.amountPaise ?? ZERO)
        const byHand = subtractPaise(owedPaise, plannedPaise)
        const parts = carried.get(studentId)?.get(componentType)
        const carriedParts = parts === undefined ? null : leftByDay(parts, owedPaise)
        const [oldest] = parts === undefined ? [] : leftByDay(parts, byHand > 0 ? byHand : owedPaise)
        const dueOn = oldest?.dueOn ?? lateFrom
        const isLate = byHand > 0 && dueOn !== null && dueOn < today
        const isCarried = carriedParts !== null
        const lateRuleId = datedRule(ofInstitute.lateFees, { componentType, dueOn: lateFrom })?.id ?? null
        const timing = { dueOn, lateFrom, isLate, isCarried, carriedParts, lateRuleId }
        return { componentType, feePaise, discounts, paidPaise, owedPaise, plannedPaise, ...timing }
      })
      const lateFees = lateFeesOn(
        today,
        lines.map(line => ({
          componentType: line.componentType,
          amountPaise: subtractPaise(line.owedPaise, line.plannedPaise),
          dueOn: line.lateFrom,
        })),
        ofInstitute.lateFees,
        redeemed.get(studentId) ?? new Map(),
      )
      const owedPaise = sumPaise(lines.map(line => line.owedPaise))
      const lateFeePaise = sumPaise(lateFees.map(fee => fee.amountPaise))
      const dues: Dues = {
        today,
        context,
        lines,
        lateFees,
        owedPaise,
        lateFeePaise,
        totalPaise: paiseOf(owedPaise + lateFeePaise),
        advancePaise: summariseFees(context.fees, context.paid).advancePaise,
        partPayment,
        allocation,
      }
      return [[studentId, dues] as const]
    }),
  )
}

/** The part of dues and their orders in the end of an academic year. */
export const duesAtYearEnd: Omit<YearEnd, 'readUnsettled'> = {
  readDueParts(tx, { instituteId, studentIds, now }) {
    const keys = studentIds.map(studentId => ({ instituteId, studentId }))
    return readDueParts(tx, keys, dayOf(now))
  },
  async closeOrders(tx, { instituteId, carried, now }) {
    const open = await listPayable(tx, instituteId, [...carried.keys()], now)
    const gone = open.flatMap(({ id, kind, studentId, lines }) => {
      const types = carried.get(studentId ?? '') ?? []
      const isGone = kind === 'student' || lines.some(({ componentType }) => types.includes(componentType))
      return isGone ? [id] : []
    })
    const held = await readLocked(tx, instituteId, gone)
    const unpaid = held.filter(({ state }) => state === 'unpaid')
    await cancelLocked(tx, instituteId, unpaid, now)
  },
}
