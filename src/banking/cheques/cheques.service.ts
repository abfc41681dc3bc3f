import { joinCatalogue } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { badField, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Paise } from '../../platform/money.ts'
import { cancelPaymentWithin } from '../../students/direct-payments/direct-payments.service.ts'
import { addToFee, holdStudents } from '../../students/profile/lock-student.service.ts'
import type { Cheque } from './cheque.list.ts'
import { BOUNCE_CHARGE, nextState, type ChequeAct } from './cheques.rules.ts'
import * as store from './cheques.store.ts'

/** Held until the commit by their students, as every change of a payment is. */
export async function holdCheques(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<Cheque[]> {
  const found = await store.readCheques(tx, instituteId, ids)
  if (found.length < new Set(ids).size) throw notFound('This cheque')
  await holdStudents(
    tx,
    found.map(({ serviceStudentId: studentId }) => ({ instituteId, studentId })),
  )
  return store.readCheques(tx, instituteId, ids)
}

/** The same of whole cheques: one that pays for several children is a payment for each. */
export async function holdWholeCheques(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<Cheque[]> {
  return holdCheques(tx, instituteId, await store.listParts(tx, instituteId, ids))
}

type Change = { instituteId: number; act: ChequeAct; by: string; at: Date }
type ChequeColumns = { depositId?: string; decidedOn?: string; bounceReason?: string; charge?: Charge }
/** The bank charges once for a cheque, whomever it pays for. */
type Charge = { paymentId: string; chargePaise: Paise | null }

/** Moves cheques that the caller has locked; refused if the state of one of them does not allow it. */
export async function changeCheques(
  tx: Transaction,
  held: readonly Cheque[],
  { instituteId, act, by, at }: Change,
  { depositId, decidedOn, bounceReason, charge }: ChequeColumns,
): Promise<void> {
  const rows = held.map(cheque => ({
    instituteId,
    paymentId: cheque.paymentId,
    state: nextState(cheque, act),
    depositId: depositId ?? cheque.depositId,
    decidedOn: decidedOn ?? null,
    bounceReason: bounceReason ?? null,
    chargePaise: charge?.paymentId === cheque.paymentId ? charge.chargePaise : null,
    changedBy: by,
    changedAt: at,
  }))
  await store.writeCheques(tx, rows)
}

type ChequeDecision = { id: string; day: string | null; by: string }

/** Cheques of a student that count as paid and may still come back. */
export async function listUndecided(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<Cheque[]> {
  return store.listUndecided(db, instituteId, studentId)
}

export async function clearCheque(
  { db, clock }: Context,
  command: Command<Cheque>,
  { id, day, by }: ChequeDecision,
): Promise<Cheque> {
  const { instituteId } = command
  const at = clock.now()
  const decidedOn = requirePast(day, at)
  return transact(db, command, async tx => {
    const held = await holdWholeCheques(tx, instituteId, [id])
    await changeCheques(tx, held, { instituteId, act: 'clear', by, at }, { decidedOn })
    return readOne(tx, instituteId, id)
  })
}

export type Bounced = ChequeDecision & { reason: string; chargePaise: Paise | null }

/** Its money is due again and its receipt cancelled; the family may be charged for it. */
export async function bounceCheque(
  { db, clock }: Context,
  command: Command<Cheque>,
  institute: Institute,
  { id, day, by, reason, chargePaise }: Bounced,
): Promise<Cheque> {
  const at = clock.now()
  const decidedOn = requirePast(day, at)
  return transact(db, command, async tx => {
    await bounceWithin(tx, institute, { id, day: decidedOn, by, reason, chargePaise }, at)
    return readOne(tx, institute.id, id)
  })
}

/** The same in the caller's transaction; answers the payments that the cheque made. */
export async function bounceWithin(
  tx: Transaction,
  institute: Institute,
  { id, day: decidedOn, by, reason, chargePaise }: Bounced & { day: string },
  at: Date,
): Promise<Cheque[]> {
  const instituteId = institute.id
  const held = await holdWholeCheques(tx, instituteId, [id])
  const change = { instituteId, act: 'bounce' as const, by, at }
  const charge = { paymentId: id, chargePaise }
  await changeCheques(tx, held, change, { decidedOn, bounceReason: reason, charge })
  for (const { serviceStudentId: studentId, paymentId, transactionId, number } of held) {
    const cancelReason = `The cheque ${number} bounced: ${reason}`
    await cancelPaymentWithin(
      tx,
      { institute, studentId, transactionId },
      { reason: cancelReason, at, told: { cause: 'cheque_returned', note: reason } },
    )
    if (chargePaise === null || paymentId !== id) continue
    const code = { kind: 'component' as const, code: BOUNCE_CHARGE, key: 'charge_amount' }
    await joinCatalogue(tx, institute, [code])
    const fee = { componentType: BOUNCE_CHARGE, amountPaise: chargePaise, at, source: 'charge' as const }
    await addToFee(tx, { instituteId, studentId }, fee)
  }
  return held
}

/** Cheques of an amount that were taken in these days and that a bank may still return. */
export async function listReturnable(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  asked: store.Returnable,
): Promise<Cheque[]> {
  const parts = await store.listReturnable(db, institute.id, asked)
  return [...Map.groupBy(parts, one => one.chequeId).values()].flatMap(own => own.slice(0, 1))
}

async function readOne(tx: Transaction, instituteId: number, id: string): Promise<Cheque> {
  const [cheque] = await store.readCheques(tx, instituteId, [id])
  if (cheque === undefined) throw notFound('This cheque')
  return cheque
}

export function requirePast(day: string | null, now: Date): string {
  const today = dayOf(now)
  if (day !== null && day > today) throw badField('day', 'must not be after today')
  return day ?? today
}
