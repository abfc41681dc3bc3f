import { openCreditOrder } from '../dues/virtual-accounts/credits.service.ts'
import { readDuesOn } from '../dues/dues.service.ts'
import { withoutTaken } from '../dues/dues.rules.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { captureCredit, claimCredit, holdCredit, reportStray } from '../payments/credits/credits.service.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { assert } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { newId } from '../platform/ids.ts'
import { BILL_MODE, type CreditReport } from '../providers/port.ts'
import { receiptNumber } from '../receipts/receipts.rules.ts'
import { findReceipt } from '../receipts/receipts.service.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import { settleOwn } from './bill-payments.service.ts'
import type { BillerAnswer, PayOutNotice, PostedPayment } from './biller-port.ts'
import { BHARAT_CONNECT, paidAtOf } from './bills.rules.ts'
import * as store from './biller.store.ts'
import type { Biller, BillPayment, BillRow } from './biller.store.ts'

type BilledSchool = { institute: Institute; biller: Biller }

/**
 * Books money that the network has taken, once by its reference, however often, late and in whatever order it is posted. The bill may have
 * changed since it was shown: what came is spread over what is owed now, and the rest is an advance. It is never refused for its amount,
 * because the family has paid already.
 */
export async function takePosted(
  ctx: PaymentContext,
  { institute, biller }: BilledSchool,
  posted: PostedPayment,
): Promise<BillerAnswer> {
  const { id: instituteId } = institute
  const bill = await store.findBill(ctx.db, instituteId, posted.billId)
  if (bill === null) {
    await reportUnknown(ctx, instituteId, biller, posted)
    return { kind: 'unknown_bill' }
  }
  const isNew = await ctx.db.transaction(tx => book(ctx, tx, { biller, bill, posted }))
  const known = await store.findPayment(ctx.db, { instituteId, reference: posted.reference })
  const isIt = known?.amountPaise === posted.amountPaise && known.billId === posted.billId
  if (known === null || !isIt) return { kind: 'contradicted' }
  if (isNew) await settleLate(ctx, known)
  return answerOf(ctx.db, known)
}

async function answerOf(
  db: Queryable,
  { instituteId, paymentId, paidAt }: BillPayment,
): Promise<BillerAnswer> {
  const receipt = await findReceipt(db, instituteId, paymentId)
  // Money that waits for a person has no number yet.
  return { kind: 'receipt', number: receipt === null ? paymentId : receiptNumber(receipt), at: paidAt }
}

async function book(
  ctx: PaymentContext,
  tx: Transaction,
  { biller, bill, posted }: { biller: Biller; bill: BillRow; posted: PostedPayment },
): Promise<boolean> {
  const { instituteId, studentId } = bill
  const key = { instituteId, studentId }
  await holdStudent(tx, key)
  const now = ctx.clock.now()
  const { reference, unitBillId, amountPaise, instrument } = posted
  const paidAt = paidAtOf(posted.paidAt, now)
  const credit: CreditReport = {
    about: 'credit',
    mode: BILL_MODE,
    instituteId,
    accountRef: bill.id,
    providerRef: await nameAtUnit(tx, instituteId, posted),
    utr: reference,
    amountPaise,
    remitterName: null,
    remitterAccount: null,
    creditedAt: paidAt,
  }
  const account = { provider: biller.unit, accountId: BHARAT_CONNECT, id: null }
  const claim = { account, credit, paymentId: newId('pay') }
  if (!(await claimCredit(ctx, tx, claim))) return false
  await store.insertPayment(tx, {
    instituteId,
    reference,
    unit: biller.unit,
    unitBillId,
    providerRef: credit.providerRef,
    billId: bill.id,
    paymentId: claim.paymentId,
    amountPaise,
    instrument,
    paidAt,
    receivedAt: now,
  })
  await store.setPaid(tx, bill, paidAt)
  const isForNobody = await isOfLeaver(tx, key, { amountPaise, day: dayOf(paidAt) })
  const notes = instrument === null ? [] : [{ key: 'instrument', value: instrument }]
  const order = await openCreditOrder(tx, key, { amountPaise, at: paidAt, notes })
  if (isForNobody) await holdCredit(ctx, tx, { ...claim, order }, OF_LEAVER)
  else await captureCredit(ctx, tx, { ...claim, order })
  return true
}

const OF_LEAVER = {
  problem: 'came by Bharat Connect for a student who has left and owes less',
  cameTo: 'for a student who has left and owes less',
}

/** The unit's name for the bill, made another where one bill is paid twice: both are money. */
async function nameAtUnit(
  tx: Transaction,
  instituteId: number,
  { unitBillId, reference }: PostedPayment,
): Promise<string> {
  const before = await store.listOfUnit(tx, instituteId, [unitBillId])
  if (before.length === 0) return unitBillId
  const own = await store.findPayment(tx, { instituteId, reference })
  return own === null ? `${unitBillId} ${reference}` : own.providerRef
}

/** A leaver pays what is owed; what is more than that a person decides about. */
async function isOfLeaver(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  { amountPaise, day }: { amountPaise: number; day: string },
): Promise<boolean> {
  const dues = (await readDuesOn(tx, [key], day)).get(key.studentId)
  assert(dues !== undefined, 'a student that is held has dues')
  if (dues.context.student.status !== 'dropped') return false
  const onTheWay = await listOnTheWay(tx, key.instituteId, [key.studentId])
  return amountPaise > withoutTaken(dues, onTheWay).totalPaise
}

/** The unit is told that the bill is not known, and sends the money back or asks; a person sees that it came. */
async function reportUnknown(
  ctx: PaymentContext,
  instituteId: number,
  { unit }: Biller,
  { reference, amountPaise }: PostedPayment,
): Promise<void> {
  await reportStray(ctx, {
    instituteId,
    provider: unit,
    accountId: BHARAT_CONNECT,
    providerRef: reference,
    problem: 'paid a bill of Bharat Connect that is unknown here, and was refused',
    reportedPaise: amountPaise,
  })
}

/** Money that is posted after its pay-out was told of is settled at once. */
async function settleLate(ctx: PaymentContext, { instituteId, unitBillId }: BillPayment): Promise<void> {
  for (const at of await store.listPayOutsOf(ctx.db, instituteId, unitBillId))
    await settleOwn(ctx, instituteId, at)
}

/** Keeps what the unit says that it paid out, once, and settles it; what is interrupted the settlement job does. */
export async function takePayOuts(
  ctx: PaymentContext,
  { institute: { id: instituteId }, biller }: BilledSchool,
  notices: readonly PayOutNotice[],
): Promise<BillerAnswer> {
  const receivedAt = ctx.clock.now()
  const told = notices.map(({ id: noticeId, at, ...notice }) => ({
    ...notice,
    instituteId,
    noticeId,
    unit: biller.unit,
    // The job reads the days before today.
    settledAt: paidAtOf(at, receivedAt),
    receivedAt,
  }))
  await ctx.db.transaction(tx => store.insertPayOuts(tx, told))
  for (const { settledAt } of told) await settleOwn(ctx, instituteId, settledAt).catch(() => {})
  return { kind: 'noted' }
}
