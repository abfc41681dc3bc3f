import { takeDue } from '../../platform/jobs/due-rows.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { internationalNumber, type NewMessage } from '../../messages/messages.rules.ts'
import {
  languageOfFamily,
  queueMessages,
  whenTold,
  withdrawMessages,
} from '../../messages/messages.service.ts'
import { feeOnPaper, paperWords, receiptWords } from '../../messages/texts/texts.ts'
import type { Attachment, AttachmentOf } from '../../messages/senders.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { formatRupees, sumPaise, rupeesInWords } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { findDirectReceiptFile } from '../../students/direct-payments/direct-receipt.service.ts'
import { printDirectVoucher } from '../../students/direct-payments/direct-voucher.service.ts'
import type { PaymentContext } from '../context.ts'
import { findReceiptFile } from '../order-receipt.service.ts'
import { cancelledText, paidOutText, receivedText, refundedText } from './notices.texts.ts'
import * as store from './notices.store.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { formatDayIn } from '../../platform/languages.ts'
import type { DocumentPrint } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printDocument, type PrintedFor } from '../../receipts/receipt-printer.ts'
import { findReceipt } from '../../receipts/receipts.service.ts'
import { getRefund } from '../refunds/refunds.service.ts'

export { lockReceipts } from './notices.store.ts'

/** A payment of this kind is no news of its own: families hear of it as news of the loan. */
const TOLD_OTHERWISE = 'loan'

/** Tells payers of money that came in or went back, each once; a receipt that was cancelled meanwhile is not sent. */
export async function notifyPayers(ctx: Context, limit: number): Promise<number> {
  const due = await store.findToNotify(ctx.db, limit)
  // What a notice tells is joined from nine tables: planning that for each receipt would take longer than reading it.
  return takeDue(ctx.db, due, (tx, keys) => notifySome(ctx, tx, keys), { keepsPlans: true })
}

async function notifySome(
  ctx: Context,
  tx: Transaction,
  keys: Awaited<ReturnType<typeof store.findToNotify>>,
): Promise<number> {
  const now = ctx.clock.now()
  const ofKind = (wanted: string) => keys.filter(({ kind }) => kind === wanted)
  const received = await store.takeReceived(tx, ofKind('receipt'), now)
  const refunds = await store.takeRefunds(tx, ofKind('refund'), now)
  const cancelled = await store.takeCancelled(tx, ofKind('cancellation'), now)
  // A cheque that came back before the family had heard of it is told as returned alone.
  const takenBack = [...received.filter(isReturnedCheque), ...(await withdrawUnsent(tx, cancelled))]
  const paidOut = await store.takePaidOut(tx, ofKind('paid out'), now)
  const told = received.filter(one => !one.isCancelled && one.orderKind !== TOLD_OTHERWISE)
  // Messages are sent side by side: what went back at once reads as such after what came.
  const refundsLeaveAt = told.length > 0 ? new Date(now.getTime() + AFTER_RECEIPTS_MS) : now
  await queueMessages(tx, [
    ...told.flatMap(one => receivedMessages(ctx, one, { at: now }, told)),
    ...refunds
      .filter(one => one.orderKind !== TOLD_OTHERWISE)
      .flatMap(one => refundMessages(ctx, one, { at: now, leavesAt: refundsLeaveAt })),
    ...takenBack.flatMap(one => cancelledMessages(ctx, one, { at: now }, takenBack)),
    ...paidOut.flatMap(one => paidOutMessages(ctx, one, { at: now, leavesAt: refundsLeaveAt })),
  ])
  return received.length + refunds.length + cancelled.length + paidOut.length
}

/**
 * What tells of these payments and has not left yet never leaves. Answers those whose families are to be told that the
 * payment does not count: who had heard of it, and whose cheque came back, which is news of its own.
 */
async function withdrawUnsent(
  tx: Transaction,
  cancelled: readonly store.ReceivedPayment[],
): Promise<store.ReceivedPayment[]> {
  const isNews: store.ReceivedPayment[] = []
  for (const [instituteId, own] of Map.groupBy(cancelled, one => one.instituteId)) {
    const named = own.map(one => ({ instituteId, once: receivedName(one) }))
    await withdrawMessages(tx, named)
    const told = await whenTold(tx, named)
    for (const one of own) if (isReturnedCheque(one) || told.has(receivedName(one))) isNews.push(one)
  }
  return isNews
}

function isReturnedCheque({ cancelCause }: store.ReceivedPayment): boolean {
  return cancelCause === 'cheque_returned'
}

function receivedName(paid: store.ReceivedPayment): string {
  return `receipt ${receiptNumber(paid)}`
}

/** Mails the receipts of these payments once more, in the transaction of the caller, who has chosen them. */
export async function mailReceiptsAgain(
  tx: Transaction,
  ctx: Context,
  receipts: readonly store.ReceivedPayment[],
): Promise<void> {
  const at = ctx.clock.now()
  const messages = receipts.flatMap(one => receivedMessages(ctx, one, { at }, [one]))
  const mails = messages.filter(({ channel }) => channel === 'email')
  await queueMessages(
    tx,
    mails.map(({ once: _once, ...mail }) => mail),
  )
}

export async function nextNoticeDue({ db }: Pick<Context, 'db'>): Promise<Date | null> {
  return store.nextToNotify(db)
}

const AFTER_RECEIPTS_MS = 2_000

type NoticeTiming = { at: Date; leavesAt?: Date }

/** Each receipt goes by a mail of its own; what was one payment at the bank is one line to the phone. */
function receivedMessages(
  ctx: Context,
  paid: store.ReceivedPayment,
  how: NoticeTiming,
  all: readonly store.ReceivedPayment[],
): NewMessage[] {
  const receipt = receiptNumber(paid)
  const isDebit = paid.orderKind === 'instalment'
  const replaced = paid.replaced && receiptNumber(paid.replaced)
  const own = { ...valuesOf(ctx, paid), receipt, replaced, isDebit, reference: paid.transactionId }
  const text = receivedText(own, paid.language)
  const together = togetherWith(paid, all)
  const values = { ...own, ...sumOf(together) }
  const short = together.length > 1 ? receivedText(values, paid.language).short : text.short
  const notice = { about: paid.orderId ?? paid.paymentId, once: receivedName(paid) }
  const messages = messagesOf(paid, { ...how, ...text, short, ...notice, attachment: paid.paymentId })
  const isFirst = together.length < 2 || together[0] === paid
  return isFirst ? messages : messages.filter(({ channel }) => channel === 'email')
}

function refundMessages(ctx: Context, refund: store.MadeRefund, how: NoticeTiming): NewMessage[] {
  const text = refundedText(
    { ...valuesOf(ctx, refund), reference: refund.utr, cause: refund.cause },
    refund.language,
  )
  const { refundId } = refund
  const about = refund.orderId ?? refundId
  return messagesOf(refund, { ...how, ...text, about, once: `refund ${refundId}`, attachment: refundId })
}

/** What was one payment at the bank, or one way at the counter, of the same family. */
function togetherWith(
  { groupId, phone, instituteId }: store.ReceivedPayment,
  all: readonly store.ReceivedPayment[],
): store.ReceivedPayment[] {
  if (groupId === null) return []
  return all.filter(one => one.groupId === groupId && one.phone === phone && one.instituteId === instituteId)
}

function sumOf(together: readonly store.ReceivedPayment[]) {
  return {
    amount: formatRupees(sumPaise(together.map(one => one.amountPaise))),
    who: together.map(one => one.studentName ?? one.payer).join(', '),
    receipt: together.map(receiptNumber).join(', '),
    components: [...new Set(together.flatMap(one => one.components))],
  }
}

function chargeOf({ chargePaise }: store.ReceivedPayment): string | null {
  return chargePaise === null ? null : formatRupees(chargePaise)
}

/** Tells the payer that the receipt of a payment was cancelled; of a cheque for several children once, with its whole amount. */
function cancelledMessages(
  ctx: Context,
  paid: store.ReceivedPayment,
  how: NoticeTiming,
  all: readonly store.ReceivedPayment[],
): NewMessage[] {
  const { paymentId, chequeNumber, cancelCause, cancelledAt, at } = paid
  const receipt = receiptNumber(paid)
  const together = togetherWith(
    paid,
    all.filter(one => one.chequeNumber !== null && one.chequeNumber === chequeNumber),
  )
  if (together.length > 1 && together[0] !== paid) return []
  const text = cancelledText(
    {
      ...valuesOf(ctx, { ...paid, at: cancelledAt ?? at }),
      receipt,
      ...(together.length > 1 ? sumOf(together) : {}),
      cause: cancelCause ?? ('payment_cancelled' as const),
      cheque: chequeNumber,
      charge: [paid, ...together].map(chargeOf).find(one => one !== null) ?? null,
      reason: paid.cancelNote ?? '',
    },
    paid.language,
  )
  const notice = { about: paymentId, once: `cancelled ${receipt}`, attachment: paymentId }
  return messagesOf(paid, { ...how, ...text, ...notice })
}

function paidOutMessages(ctx: Context, refund: store.PaidOut, how: NoticeTiming): NewMessage[] {
  const { refundId, paymentId, way, reference } = refund
  const text = paidOutText(
    { ...valuesOf(ctx, refund), way, reference, voucher: receiptNumber(refund) },
    refund.language,
  )
  return messagesOf(refund, {
    ...how,
    ...text,
    about: paymentId,
    once: `refund ${refundId}`,
    attachment: refundId,
  })
}

type NoticedMoney = store.ReceivedPayment | store.MadeRefund | store.PaidOut

function valuesOf({ publicUrl }: Pick<Context, 'publicUrl'>, paid: NoticedMoney) {
  return {
    institute: paid.institute.name,
    amount: formatRupees(paid.amountPaise),
    who: paid.studentName ?? paid.payer,
    components: paid.components,
    day: dayOf(paid.at),
    url: paid.orderId === null ? null : `${publicUrl}/pay/${paid.instituteCode}/${paid.orderId}`,
  }
}

type Notice = NoticeTiming &
  ReturnType<typeof receivedText> & { about: string; once: string; attachment: string }

/** A mail at once, since the payer waits for it; a line to the phone only in waking hours. */
function messagesOf(
  { instituteId, institute: from, email, phone, payer, language }: NoticedMoney,
  { subject, body, short, attachment, ...notice }: Notice,
): NewMessage[] {
  const to = { name: payer, language, from }
  const mail = { instituteId, channel: 'email' as const, recipient: email, subject, body, to, attachment }
  const sms = { instituteId, channel: 'sms' as const, recipient: phone, ...short, inWakingHours: true }
  return [{ ...notice, ...mail }, ...(internationalNumber(phone) === null ? [] : [{ ...notice, ...sms }])]
}

const REFUND_ID = /^rfd_/

/** The receipt of a payment or the voucher of a refund, for the mail that tells of it; null when there is none any more. */
export async function readMoneyAttachment(
  ctx: PaymentContext,
  { instituteId, attachment: id, isMailed }: AttachmentOf,
): Promise<Attachment | null> {
  const [institute] = await getInstitutesById(ctx, [instituteId])
  if (institute === undefined) return null
  if (REFUND_ID.test(id)) {
    const content =
      (await printRefundVoucher(ctx, institute, id, { isMailed })) ??
      (await printDirectVoucher(ctx, institute, id, { isMailed }))
    return content === null ? null : { filename: `refund-${id}.pdf`, contentType: 'application/pdf', content }
  }
  const orderId = await store.findOrderOf(ctx.db, instituteId, id)
  const file =
    orderId === null
      ? await findDirectReceiptFile(ctx, institute, id)
      : await findReceiptFile(ctx, institute, await getOrder(ctx, institute, undefined, orderId))
  if (file === null) return null
  const content = await file.read({ isMailed })
  return { filename: `receipt-${id}.pdf`, contentType: file.contentType, content }
}

/** Prints the voucher that a family keeps for a refund; null until the money has gone back. */
export async function printRefundVoucher(
  ctx: PaymentContext,
  institute: Institute,
  refundId: string,
  how?: Omit<PrintedFor, 'instituteId'>,
): Promise<Buffer | null> {
  const refund = await getRefund(ctx, institute.id, refundId)
  if (refund === null || refund.state !== 'processed') return null
  const order = await getOrder(ctx, institute, undefined, refund.orderId)
  const receipt = await findReceipt(ctx.db, institute.id, refund.paymentId)
  const branch = institute.branches.find(({ collectorCode }) => collectorCode === order.collectorCode)
  const at = refund.processedAt ?? refund.requestedAt
  const language = await languageOfFamily(ctx.db, { instituteId: institute.id, phone: order.phone })
  const words = paperWords('refundVoucher', language)
  const of = receiptWords(language)
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
    title: words.title,
    madeAt: at,
    blocks: [
      {
        kind: 'pairs',
        left: {
          [of.student]: order.studentName,
          [of.studentId]: order.identifier,
          [words.refundedTo]: order.name,
        },
        right: {
          [words.refundedOn]: formatDayIn(dayOf(at), language),
          [words.refundId]: refund.id,
          [words.receipt]: receipt === null ? null : receiptNumber(receipt),
          [words.bankReference]: refund.utr,
        },
      },
      {
        kind: 'table',
        columns: [
          { title: of.forWhat, width: 8 },
          { title: of.amount, width: 3, isAmount: true },
        ],
        rows: refund.lines
          .filter(({ amountPaise }) => amountPaise > 0)
          .map(line => [feeOnPaper(line.componentType, language), formatRupees(line.amountPaise)]),
        total: [words.total, formatRupees(refund.amountPaise)],
      },
      { kind: 'text', text: rupeesInWords(refund.amountPaise) },
      { kind: 'text', text: words.how },
      { kind: 'text', text: words.computer },
    ],
    isSandbox: ctx.mode === 'sandbox',
  }
  return printDocument(print, { instituteId: institute.id, ...how })
}
