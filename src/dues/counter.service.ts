import { giveAlone } from '../institutes/institutes.service.ts'
import { DAY_MS, dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Transaction } from '../platform/db/database.ts'
import { ADVANCE } from '../fees/fees.rules.ts'
import { badField, conflict, notFound } from '../platform/errors.ts'
import type { Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { formatRupees, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { listOnTheWay, readOnTheWay } from '../payments/student-payments.service.ts'
import { addToFee } from '../students/profile/lock-student.service.ts'
import type { Instrument } from '../students/direct-payments/direct-payments.rules.ts'
import {
  recordPayment,
  type SentPayment,
  type RecordedOutcome,
  type PayingStudent,
} from '../students/direct-payments/direct-payments.service.ts'
import type { StudentKey } from '../students/students.rules.ts'
import { spreadOver, takeLateFees, type AtCounter, type CounterLateFees } from './counter.rules.ts'
import { LATE_FEE, withoutTaken } from './dues.rules.ts'
import { readDuesOn } from './dues.service.ts'
import { insertEntries } from './dues.store.ts'
import { refuseOnTheWay } from './on-the-way.service.ts'

type CounterPayment = AtCounter & {
  paidAt: Date
  /** When somebody typed the day of the payment; null where a bank statement says the day. */
  typedAt: Date | null
  recordedBy: string
  waiveReason: string | null
}

const OLDEST_DAYS = 5 * 366

type Handed = {
  payment: SentPayment
  instrument: Instrument | null
  /** Fees owed, as the form showed them. */
  shownPaise: Paise | null
  waiveReason: string | null
  recordedBy: string
}

/**
 * Money that is handed over at the counter. What is on the way is not taken a second time; a clerk who takes the whole
 * knowingly takes it as `ADVANCE`, which pays no fee, so that what is on the way still pays its own.
 */
export async function takeAtCounter(
  ctx: Context,
  command: Command<RecordedOutcome>,
  target: PayingStudent,
  { payment, instrument, shownPaise, waiveReason, recordedBy }: Handed,
): Promise<RecordedOutcome> {
  requireCounterDay(ctx, payment.paidAt)
  const { lines, paidAt } = payment
  const key = { instituteId: target.institute.id, studentId: target.studentId }
  return recordPayment(ctx, command, target, {
    payment,
    readOnTheWay,
    recordedBy,
    hasReceipt: true,
    instrument,
    prepare: tx =>
      prepareAtCounter(ctx, tx, key, { lines, paidAt, shownPaise, waiveReason, takenBy: recordedBy }),
  })
}

/** Prepares what is handed over for one student to be recorded, while the student is held. */
export async function prepareAtCounter(
  ctx: Context,
  tx: Transaction,
  key: StudentKey,
  handed: AtCounter & {
    paidAt: Date
    shownPaise: Paise | null
    waiveReason: string | null
    takenBy: string
  },
): Promise<void> {
  const { lines, paidAt, shownPaise, waiveReason, takenBy: recordedBy } = handed
  await requireOwedAsShown(tx, key, { shownPaise, paidAt })
  await refuseOnTheWay({ db: tx, clock: ctx.clock }, { ...key, lines })
  const typedAt = ctx.clock.now()
  await settleLateFees(tx, key, { lines, paidAt, typedAt, recordedBy, waiveReason })
}

/**
 * Divides an amount among one student's fees by the institute's rule, without those that are being paid already; the rest
 * becomes an advance. The caller holds the student.
 */
export async function spreadForStudent(
  tx: Transaction,
  key: StudentKey,
  { amountPaise, day }: { amountPaise: Paise; day: string },
): Promise<AtCounter['lines'][number][]> {
  const dues = (await readDuesOn(tx, [key], day)).get(key.studentId)
  if (dues === undefined) throw notFound('This student')
  const onTheWay = await listOnTheWay(tx, key.instituteId, [key.studentId])
  const { lines, excessPaise } = spreadOver(amountPaise, withoutTaken(dues, onTheWay))
  return excessPaise > 0 ? [...lines, { componentType: ADVANCE, amountPaise: excessPaise }] : lines
}

/** The day of a payment is typed in at the counter: it cannot lie ahead, nor before anybody's books. */
export function requireCounterDay({ clock }: Pick<Context, 'clock'>, paidAt: Date): void {
  const now = clock.now()
  if (dayOf(paidAt) > dayOf(now)) throw badField('paid_at', 'must not be after today')
  if (now.getTime() - paidAt.getTime() > OLDEST_DAYS * DAY_MS)
    throw badField('paid_at', 'must not be more than five years ago')
}

/** Refuses a form that shows more than is owed now: what somebody else took meanwhile would be taken a second time. */
async function requireOwedAsShown(
  tx: Transaction,
  key: StudentKey,
  { shownPaise, paidAt }: { shownPaise: Paise | null; paidAt: Date },
): Promise<void> {
  const owed = (await readDuesOn(tx, [key], dayOf(paidAt))).get(key.studentId)?.owedPaise
  if (shownPaise === null || owed === undefined || owed >= shownPaise) return
  throw conflict(
    `${formatRupees(subtractPaise(shownPaise, owed))} was taken or taken off meanwhile; ${formatRupees(owed)} of fees is owed now. Check the amounts, and take them again if they are right.`,
  )
}

/**
 * Settles late fees before a payment at the counter is recorded, while the student is held: the paid part of a late fee
 * becomes a fee, as online. A late fee that would lapse because its fee is paid now has to be taken or waived.
 */
export async function settleLateFees(
  tx: Transaction,
  key: StudentKey,
  { paidAt, typedAt, recordedBy, waiveReason, ...taken }: CounterPayment,
): Promise<void> {
  const today = dayOf(paidAt)
  const dues = (await readDuesOn(tx, [key], today)).get(key.studentId)
  if (dues === undefined) return
  const { charged, lapsing } = takeLateFees(dues, taken)
  const lapsingNow = async (): Promise<Paise> => {
    if (typedAt === null) return ZERO
    const now = (await readDuesOn(tx, [key], dayOf(typedAt))).get(key.studentId)
    return now === undefined ? ZERO : total(takeLateFees(now, taken).lapsing)
  }
  if (lapsing.length > 0 && waiveReason === null)
    throw badField(
      'waive_late_fee_reason',
      `is needed: ${formatRupees(total(lapsing))} of late fee is due and is neither taken nor waived`,
    )
  // An earlier day lets off what has become due since, as a waiver does.
  const lapsedPaise = paiseOf(Math.max(total(lapsing), await lapsingNow()))
  const gifts = [{ about: key.studentId, amountPaise: lapsedPaise }]
  if (!(await giveAlone(tx, key.instituteId, { act: 'late_fee_waiver', gifts, at: typedAt ?? paidAt })))
    throw conflict(
      `${formatRupees(lapsedPaise)} of late fee can only be waived with a second person’s approval. Ask for that on the student’s page first, or take it.`,
    )
  if (charged.length > 0)
    await addToFee(tx, key, {
      componentType: LATE_FEE,
      amountPaise: total(charged),
      at: paidAt,
      source: 'late_fee',
    })
  const entry = { orderId: null, actor: recordedBy, at: paidAt }
  await insertEntries(tx, key, [
    ...charged.map(fee => ({ ...fee, ...entry, id: newId('late'), kind: 'charged' as const, reason: null })),
    ...lapsing.map(fee => ({
      ...fee,
      ...entry,
      id: newId('late'),
      kind: 'waived' as const,
      reason: waiveReason,
    })),
  ])
}

function total(fees: CounterLateFees['charged']): Paise {
  return sumPaise(fees.map(fee => fee.amountPaise))
}
