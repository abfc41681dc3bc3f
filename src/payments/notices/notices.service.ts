import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { internationalNumber, type NewMessage } from '../../messages/messages.rules.ts'
import { queueMessages } from '../../messages/messages.service.ts'
import type { Attachment } from '../../messages/senders.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { dayOf, formatDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { formatRupees, sumPaise } from '../../platform/money.ts'
import { readableComponent } from '../../platform/names.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { findDirectReceiptFile } from '../../students/direct-payments/direct-receipt.service.ts'
import type { PaymentContext } from '../context.ts'
import { findReceiptFile } from '../order-receipt.service.ts'
import { NOTICE_TEMPLATES, receivedText, refundedText } from './notices.texts.ts'
import * as store from './notices.store.ts'

/** Whom no page or screen tells: debits under a mandate have their own notices, a loan is the lender's to tell. */
const TOLD_OTHERWISE = ['instalment', 'downpayment', 'loan']

/** Tells payers of money that came in or went back, each once; a receipt that was cancelled meanwhile is not sent. */
export async function notifyPayers(ctx: Context, limit: number): Promise<number> {
  return ctx.db.transaction(async tx => {
    const now = ctx.clock.now()
    const received = await store.lockReceived(tx, limit)
    const refunds = await store.lockRefunds(tx, limit)
    const told = received.filter(one => !one.isCancelled && !TOLD_OTHERWISE.includes(one.orderKind ?? ''))
    await queueMessages(tx, [
      ...told.flatMap(one => receivedMessages(ctx, one, now, told)),
      ...refunds.filter(one => one.orderKind !== 'loan').flatMap(one => refundMessages(ctx, one, now)),
    ])
    await store.markReceived(tx, received, now)
    await store.markRefunds(tx, refunds, now)
    return received.length + refunds.length
  })
}

export async function nextNoticeDue({ db }: Pick<Context, 'db'>): Promise<Date | null> {
  return store.nextToNotify(db)
}

type Notice = { subject: string; body: string; short: string; template: string; attachment: string | null }

/** Each receipt goes by a mail of its own; what was one payment at the bank is one line to the phone. */
function receivedMessages(
  ctx: Context,
  paid: store.ReceivedPayment,
  now: Date,
  all: readonly store.ReceivedPayment[],
): NewMessage[] {
  const text = receivedText({ ...valuesOf(ctx, paid), receipt: receiptNumber(paid) })
  const template = paid.orderId === null ? NOTICE_TEMPLATES.counter : NOTICE_TEMPLATES.received
  const together = all.filter(
    ({ groupId, phone }) => groupId !== null && groupId === paid.groupId && phone === paid.phone,
  )
  const values = {
    ...valuesOf(ctx, paid),
    amount: formatRupees(sumPaise(together.map(one => one.amountPaise))),
    who: together.map(one => one.studentName ?? one.payer).join(', '),
    receipt: together.map(receiptNumber).join(', '),
  }
  const short = together.length > 1 ? receivedText(values).short : text.short
  const messages = messagesOf(paid, { ...text, short, template, attachment: paid.paymentId }, now)
  const isFirst = together.length < 2 || together[0] === paid
  return isFirst ? messages : messages.filter(({ channel }) => channel === 'email')
}

function refundMessages(ctx: Context, refund: store.MadeRefund, now: Date): NewMessage[] {
  const text = refundedText({ ...valuesOf(ctx, refund), reference: refund.utr })
  return messagesOf(refund, { ...text, template: NOTICE_TEMPLATES.refunded, attachment: null }, now)
}

function valuesOf({ publicUrl }: Pick<Context, 'publicUrl'>, paid: store.ReceivedPayment | store.MadeRefund) {
  return {
    institute: paid.institute,
    amount: formatRupees(paid.amountPaise),
    who: paid.studentName ?? paid.payer,
    forWhat: paid.components.map(readableComponent).join(', '),
    day: formatDay(dayOf(paid.at)),
    url: paid.orderId === null ? null : `${publicUrl}/pay/${paid.instituteCode}/${paid.orderId}`,
  }
}

/** A mail at once, since the payer waits for it; a line to the phone only in waking hours. */
function messagesOf(
  paid: store.ReceivedPayment | store.MadeRefund,
  { subject, body, short, template, attachment }: Notice,
  at: Date,
): NewMessage[] {
  const about = paid.orderId ?? ('paymentId' in paid ? paid.paymentId : paid.refundId)
  const common = { instituteId: paid.instituteId, about, at }
  const phone = internationalNumber(paid.phone)
  return [
    {
      ...common,
      channel: 'email',
      recipient: paid.email,
      subject,
      body,
      to: { name: paid.payer, language: 'en' },
      ...(attachment && { attachment }),
    },
    ...(phone === null
      ? []
      : [
          {
            ...common,
            channel: 'sms' as const,
            recipient: paid.phone,
            body: short,
            template,
            isReminder: true,
          },
        ]),
  ]
}

/** The receipt of a payment, for the mail that tells of it; null when there is none any more. */
export async function readReceiptAttachment(
  ctx: PaymentContext,
  { instituteId, attachment: paymentId }: { instituteId: number; attachment: string },
): Promise<Attachment | null> {
  const [institute] = await getInstitutesById(ctx, [instituteId])
  if (institute === undefined) return null
  const orderId = await store.findOrderOf(ctx.db, instituteId, paymentId)
  const file =
    orderId === null
      ? await findDirectReceiptFile(ctx, institute, paymentId)
      : await findReceiptFile(ctx, institute, await getOrder(ctx, institute, undefined, orderId))
  if (file === null) return null
  return { filename: `receipt-${paymentId}.pdf`, contentType: file.contentType, content: await file.read() }
}
