import type { RefundCause } from '../payments/refunds/refunds.rules.ts'
import { refundExcess } from '../payments/refunds/refunds.service.ts'
import { listPaid, listOnTheWay } from '../payments/student-payments.service.ts'
import { wasPaidSince } from '../students/direct-payments/direct-payments.service.ts'
import type { PaidOrder, PaymentHandler } from '../payments/context.ts'
import type { Transaction } from '../platform/db/database.ts'
import { formatRupees, sumPaise, type Paise, minPaise } from '../platform/money.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import { readStudentContexts } from '../students/student-contexts.service.ts'
import type { StudentKey } from '../students/students.rules.ts'
import { excessOf, overlap, type Share, LATE_FEE, withoutTaken } from './dues.rules.ts'
import { readRules, doSiblingsOwe } from './dues.store.ts'
import { insertUses, type AdvanceUse } from '../fees/advances/advances.service.ts'
import { recomputeBalances } from '../fees/balances.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { badField, conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { allocate, chosenOf } from './allocation.rules.ts'
import { readDuesOn, type Dues } from './dues.service.ts'
import { chargeLateFees } from './late-fees.service.ts'
import { advancesOf, moveAdvances } from '../fees/advances/advances.rules.ts'

/** What a payment brought beyond what was owed, and whether it goes back. */
export type SettledExcess = { excessPaise: Paise; isExcessRefunded: boolean }

/**
 * A payment of an order that is not for dues, such as a debit by mandate, that comes although the same fees were paid otherwise. What
 * it brought beyond what is owed is surplus like that of every other payment.
 */
export function withSurplus(handler: PaymentHandler): PaymentHandler {
  return {
    ...handler,
    async captured(tx, paid, at) {
      await handler.captured(tx, paid, at)
      const { studentId, lines } = paid.order
      if (studentId === null) return
      const key = { instituteId: paid.payment.instituteId, studentId }
      await holdStudent(tx, key)
      const context = (await readStudentContexts(tx, [key])).get(studentId)
      if (context === undefined) return
      const prices = new Map(context.prices.map(price => [price.componentType, price.amountPaise]))
      await settleExcess(tx, paid, excessOf(lines, prices, context.paid), at)
    },
  }
}

/** It goes back or is kept as advance, as the institute has chosen. */
export async function settleExcess(
  tx: Transaction,
  paid: PaidOrder,
  excess: Share['lines'],
  at: Date,
): Promise<SettledExcess> {
  const excessPaise = sumPaise(excess.map(line => line.amountPaise))
  const isExcessRefunded = excessPaise > 0 && (await goesBack(tx, paid))
  if (isExcessRefunded) await refundExcess(tx, paid, { excess, cause: await causeOf(tx, paid, excess), at })
  return { excessPaise, isExcessRefunded }
}

/** Finds out why the amount became too much since the order was made: the fees were paid otherwise, or lowered. */
async function causeOf(
  tx: Transaction,
  { payment, order }: PaidOrder,
  excess: Share['lines'],
): Promise<RefundCause> {
  const { instituteId } = payment
  const { studentId, createdAt: since } = order
  if (studentId === null) return 'less_due'
  const componentTypes = excess.map(line => line.componentType)
  if (await wasPaidSince(tx, { instituteId, studentId }, { componentTypes, since })) return 'paid_at_school'
  const online = await listPaid(tx, instituteId, [studentId])
  const isTwice = online.some(
    one => one.paymentId !== payment.id && (one.capturedAt ?? since) >= since && overlap(one.lines, excess),
  )
  return isTwice ? 'paid_twice' : 'less_due'
}

/** An advance is of use only while something of the family will still fall due. */
async function goesBack(tx: Transaction, { payment: { instituteId }, order }: PaidOrder): Promise<boolean> {
  const rule = (await readRules(tx, [instituteId])).get(instituteId)?.surplus ?? 'refund'
  if (rule === 'refund' || order.studentId === null) return rule === 'refund'
  return !(await owesMore(tx, { instituteId, studentId: order.studentId }))
}

async function owesMore(tx: Transaction, key: StudentKey): Promise<boolean> {
  const own = (await readStudentContexts(tx, [key])).get(key.studentId)
  return (own !== undefined && own.owed.length > 0) || (await doSiblingsOwe(tx, key))
}

/** The sentence in the event about money beyond what was due. */
export function excessNotes({ excessPaise, isExcessRefunded }: SettledExcess): string | null {
  if (excessPaise === 0) return null
  const fate = isExcessRefunded ? 'goes back to the payer' : 'is kept as advance'
  return `${formatRupees(excessPaise)} of this is more than was due and ${fate}.`
}

type AdvanceRequest = {
  /** All of the advance, or of what it can pay, when absent. */
  amountPaise?: Paise | null
  /** The fee that it pays; by the institute's rule of allocation when absent. */
  componentType?: string | null
  reason: string
  actor: string
}

/**
 * Uses what was paid too much for one fee for others of the same child. No money moves: what is counted as paid of each
 * changes, and receipts stay as they are. Late fees come with what they are for, as in every payment.
 */
export async function useAdvance(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<AdvanceUse[]>,
  { institute, studentId }: { institute: Institute; studentId: string },
  asked: AdvanceRequest,
): Promise<AdvanceUse[]> {
  const key = { instituteId: institute.id, studentId }
  return transact(ctx.db, command, async tx => {
    await holdStudent(tx, key)
    const at = ctx.clock.now()
    const all = await readUsable(tx, key, at)
    if (all.advancePaise === 0) throw conflict('There is no advance to use.')
    if (all.totalPaise === 0) throw conflict('Nothing is due that the advance could pay.')
    return useWithin(tx, key, all, asked, at)
  })
}

/** Uses all of the advance for whatever is due, if there are both. The caller holds the student. */
export async function useAllAdvance(
  tx: Transaction,
  key: StudentKey,
  asked: Pick<AdvanceRequest, 'reason' | 'actor'>,
  at: Date,
): Promise<AdvanceUse[]> {
  const all = await readUsable(tx, key, at)
  return all.advancePaise === 0 || all.totalPaise === 0 ? [] : useWithin(tx, key, all, asked, at)
}

/** Dues that a bank or lender is paying already are left out. */
async function readUsable(tx: Transaction, key: StudentKey, at: Date): Promise<Dues> {
  const read = (await readDuesOn(tx, [key], dayOf(at))).get(key.studentId)
  if (read === undefined) throw new Error('a student that is held has dues')
  return withoutTaken(read, await listOnTheWay(tx, key.instituteId, [key.studentId]))
}

async function useWithin(
  tx: Transaction,
  key: StudentKey,
  all: Dues,
  { amountPaise = null, componentType = null, reason, actor }: AdvanceRequest,
  at: Date,
): Promise<AdvanceUse[]> {
  const { context, advancePaise } = all
  const dues = componentType === null ? all : chosenOf(all, [componentType])
  const most = minPaise(advancePaise, dues.totalPaise)
  const amount = amountPaise ?? most
  if (amount === 0 || amount > most)
    throw badField('amount', `must be more than 0 and at most ${formatRupees(most)}`)
  const share = allocate(amount, dues, dues.allocation)
  await chargeLateFees(tx, key, share.lateFees, { orderId: null, at })
  const late = sumPaise(share.lateFees.map(fee => fee.amountPaise))
  const wanted = [...(late > 0 ? [{ componentType: LATE_FEE, amountPaise: late }] : []), ...share.lines]
  const moves = moveAdvances(advancesOf(context.prices, context.paid), wanted)
  const uses = moves.map(move => ({ ...move, id: newId('adv'), reason, actor, at }))
  await insertUses(tx, key, uses)
  recomputeBalances(tx, key.instituteId, [key.studentId])
  return uses
}
