import { listOwing } from '../fees/balances.service.ts'
import type { MoneyGiven } from '../institutes/institutes.rules.ts'
import { dayOf, DAY_MS, startOfDay } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Transaction } from '../platform/db/database.ts'
import { paiseOf, ZERO, sumPaise, type Paise } from '../platform/money.ts'
import type { StudentKey } from '../students/students.rules.ts'
import { readDuesOn } from './dues.service.ts'
import { readRules, lockRules, insertEntries } from './dues.store.ts'
import { newId } from '../platform/ids.ts'
import { addToFee } from '../students/profile/lock-student.service.ts'
import { LATE_FEE, type Share } from './dues.rules.ts'

/** The late fees of each student who owes something: those of today, and those in a year if nothing is paid. */
export type LateFeesAhead = ReadonlyMap<string, LateFeesOfStudent>

type LateFeesOfStudent = { todayPaise: Paise; inAYearPaise: Paise }

const BATCH = 500
const YEAR_DAYS = 365

/**
 * Sums late fees by the rules and due days as they are in this transaction. A rule that is taken away before anybody
 * is late gives away what it would have charged, so the year ahead is looked at too. Nobody else changes them meanwhile.
 */
export async function readLateFeesAhead(
  tx: Transaction,
  instituteId: number,
  today: string,
): Promise<LateFeesAhead> {
  await lockRules(tx, instituteId)
  const found = new Map<string, LateFeesOfStudent>()
  const rules = (await readRules(tx, [instituteId])).get(instituteId)?.lateFees ?? []
  if (rules.every(rule => rule.charge.kind === 'none')) return found
  const inAYear = dayOf(new Date(startOfDay(today).getTime() + YEAR_DAYS * DAY_MS))
  for (let after = ''; ;) {
    const ids = await listOwing(tx, instituteId, { after, limit: BATCH })
    if (ids.length === 0) return found
    after = ids.at(-1) ?? after
    const keys = ids.map(studentId => ({ instituteId, studentId }))
    const [now, later] = [await readDuesOn(tx, keys, today), await readDuesOn(tx, keys, inAYear)]
    for (const id of ids) {
      const todayPaise = now.get(id)?.lateFeePaise ?? ZERO
      found.set(id, { todayPaise, inAYearPaise: later.get(id)?.lateFeePaise ?? ZERO })
    }
  }
}

/**
 * Late fees that fall away by what a transaction has done to these students, because nothing is owed any more of what they
 * are for, or a plan takes it later. Nobody else sees that yet, so what the others see is what was before.
 */
export async function readLapsedLateFees(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  tx: Transaction,
  keys: readonly StudentKey[],
): Promise<MoneyGiven[]> {
  const today = dayOf(clock.now())
  const [before, after] = [await readDuesOn(db, keys, today), await readDuesOn(tx, keys, today)]
  return keys.flatMap(({ studentId: about }) => {
    const less = (before.get(about)?.lateFeePaise ?? 0) - (after.get(about)?.lateFeePaise ?? 0)
    return less > 0 ? [{ about, amountPaise: paiseOf(less), isLateFee: true }] : []
  })
}

/**
 * Late fees that fall away if these students owe so much less: those of fees of which no more is open than that. Which fees
 * become lower is not known here, so each is taken to be.
 */
export async function readLateFeesAtRisk(
  tx: Transaction,
  { instituteId, today }: { instituteId: number; today: string },
  lowered: readonly { about: string; amountPaise: Paise }[],
): Promise<MoneyGiven[]> {
  const keys = lowered.map(({ about: studentId }) => ({ instituteId, studentId }))
  const dues = await readDuesOn(tx, keys, today)
  return lowered.flatMap(({ about, amountPaise: less }) => {
    const { lines = [], lateFees = [] } = dues.get(about) ?? {}
    const openOf = (ruleId: string): number =>
      lines
        .filter(line => line.lateRuleId === ruleId)
        .reduce((sum, line) => sum + Math.max(line.owedPaise - line.plannedPaise, 0), 0)
    const lapsing = lateFees.filter(fee => openOf(fee.ruleId) <= less)
    return lapsing.map(({ amountPaise }) => ({ about, amountPaise, isLateFee: true }))
  })
}

/** Sums by how much late fees become less for each student: today or in a year, whichever difference is larger. */
export function lateFeeGifts(before: LateFeesAhead, after: LateFeesAhead): MoneyGiven[] {
  return [...before].flatMap(([about, old]) => {
    const { todayPaise, inAYearPaise } = after.get(about) ?? { todayPaise: ZERO, inAYearPaise: ZERO }
    const less = Math.max(old.todayPaise - todayPaise, old.inAYearPaise - inAYearPaise)
    return less > 0 ? [{ about, amountPaise: paiseOf(less), isLateFee: true }] : []
  })
}

/** A late fee becomes a fee of the student's as it is paid. */
export async function chargeLateFees(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  lateFees: Share['lateFees'],
  { orderId, at }: { orderId: string | null; at: Date },
): Promise<void> {
  if (lateFees.length === 0) return
  const amountPaise = sumPaise(lateFees.map(fee => fee.amountPaise))
  await addToFee(tx, key, { componentType: LATE_FEE, amountPaise, at, source: 'late_fee' })
  await insertEntries(
    tx,
    key,
    lateFees.map(fee => ({
      ...fee,
      id: newId('late'),
      kind: 'charged',
      orderId,
      reason: null,
      actor: null,
      at,
    })),
  )
}
