import type { FastifyInstance, FastifyReply } from 'fastify'
import { printCertificate } from '../../dues/certificate/certificate.service.ts'
import { sendIfNew } from '../../http/assets.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { listPaid, type StudentPayment } from '../../payments/student-payments.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { BursarError } from '../../platform/errors.ts'
import type { ReceiptFile } from '../../receipts/receipt-file.ts'
import { findDirectReceiptFile } from '../../students/direct-payments/direct-receipt.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import {
  isChild,
  listChildren,
  listCounterPayments,
  type CounterPayment,
} from '../../students/users/users.service.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { sendPage } from '../layout.ts'
import { frameOf, HOME, sendUnknown, userOf, withParent, type Visit } from './access.ts'
import { findReceiptFile } from '../../payments/order-receipt.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import { formatRupees, type Paise } from '../../platform/money.ts'
import { localDay } from '../plan/page-parts.ts'
import { fill, type Language } from '../../platform/languages.ts'
import type { ParentsTexts } from '../texts/texts.ts'
import { feeName } from '../../messages/texts/texts.ts'
import { financialYear, receiptNumber, type ReceiptKey } from '../../receipts/receipts.rules.ts'

/** The payment history of a parent's children, with receipts. */
export function historyPages(app: FastifyInstance, ctx: PaymentContext): void {
  app.get(
    `${HOME}/history`,
    withParent(ctx, visit => showHistory(ctx, visit)),
  )
  app.get(
    `${HOME}/history/:payment`,
    withParent(ctx, visit => sendReceipt(ctx, visit)),
  )
  app.get(
    `${HOME}/students/:student/fee-certificate/:year`,
    withParent(ctx, visit => sendCertificate(ctx, visit)),
  )
}

async function showHistory(ctx: PaymentContext, visit: Visit): Promise<FastifyReply> {
  const { session, texts, language, reply } = visit
  const { institute } = session
  const ids = await listChildren(ctx, userOf(session))
  const keys = ids.map(studentId => ({ instituteId: institute.id, studentId }))
  const [contexts, online, counter] = await Promise.all([
    readStudentContexts(ctx.db, keys),
    listPaid(ctx.db, institute.id, ids),
    listCounterPayments(ctx, institute.id, ids),
  ])
  const names = new Map([...contexts].map(([id, { student }]) => [id, student.fullname]))
  const { title, data } = describeHistory({ institute, names, online, counter, language }, texts)
  return sendPage(reply, {
    template: 'parents/history',
    title,
    language,
    data: { ...frameOf(visit, ctx), ...data },
  })
}

/** Only for a payment in the parent's own history. */
async function sendReceipt(ctx: PaymentContext, visit: Visit): Promise<FastifyReply> {
  const { session, request, reply } = visit
  const { institute } = session
  const { payment: id } = request.params as { payment: string }
  const ids = await listChildren(ctx, userOf(session))
  const file = await findOwnReceipt(ctx, institute, ids, id)
  if (file === null) return sendUnknown(visit)
  reply.header('content-disposition', `attachment; filename="receipt-${id}.pdf"`)
  return sendIfNew(request, reply.header('cache-control', 'no-store'), file)
}

/** What was paid for a child in a financial year; only of a year in which something was. */
async function sendCertificate(ctx: PaymentContext, visit: Visit): Promise<FastifyReply> {
  const { session, request, reply } = visit
  const { student: studentId, year } = request.params as { student: string; year: string }
  if (!(await isChild(ctx, userOf(session), studentId))) return sendUnknown(visit)
  try {
    const { name, content } = await printCertificate(ctx, session.institute, { studentId, year })
    return await reply
      .type('application/pdf')
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(content)
  } catch (error) {
    if (error instanceof BursarError) return sendUnknown(visit)
    throw error
  }
}

/** `id`: of an online payment's order, or of a payment at the counter. */
async function findOwnReceipt(
  ctx: PaymentContext,
  institute: Institute,
  studentIds: readonly string[],
  id: string,
): Promise<ReceiptFile | null> {
  const online = await listPaid(ctx.db, institute.id, studentIds)
  if (online.some(payment => payment.orderId === id))
    return findReceiptFile(ctx, institute, await getOrder(ctx, institute, undefined, id))
  const counter = await listCounterPayments(ctx, institute.id, studentIds)
  if (!counter.some(payment => payment.id === id)) return null
  return findDirectReceiptFile(ctx, institute, id)
}

/** All payments for a parent's children, online and at the counter. */
type HistoryPageData = {
  institute: Institute
  /** Names by student id. */
  names: ReadonlyMap<string, string>
  online: readonly StudentPayment[]
  counter: readonly CounterPayment[]
  language: Language
}

type Row = {
  at: Date
  studentId: string
  amountPaise: Paise
  way: keyof ParentsTexts['history']['ways']
  what: string | undefined
  notes: { text: string; tone: string }[]
  reference: string
  receipt: { url: string; text: string } | null
}

function describeHistory(
  pageData: HistoryPageData,
  texts: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { institute, language, names } = pageData
  const { history } = texts
  const rows = [
    ...pageData.online.map(payment => onlineRow(payment, language, texts)),
    ...pageData.counter.map(payment => counterRow(payment, language, texts)),
  ].toSorted((one, other) => other.at.getTime() - one.at.getTime())
  const years = [...Map.groupBy(rows, row => financialYear(dayOf(row.at)))]
  const data = {
    heading: history.heading,
    none: rows.length === 0 ? history.none : undefined,
    years: years.map(([year, own]) => ({
      caption: fill(history.year, { from: year.slice(0, 4), to: String(Number(year.slice(0, 4)) + 1) }),
      rows: own.map(row => ({
        ...row,
        day: localDay(dayOf(row.at), language),
        who: names.size > 1 ? names.get(row.studentId) : undefined,
        way: history.ways[row.way],
        amount: formatRupees(row.amountPaise),
        reference: fill(history.reference, { id: row.reference }),
      })),
      certificates: certificatesOf(year, own, names).map(({ url, name }) => ({
        url,
        text: fill(history.certificate, { name }),
      })),
    })),
    more:
      pageData.online.length >= MOST || pageData.counter.length >= MOST
        ? fill(history.more, { where: institute.name })
        : undefined,
  }
  return { title: fill(history.title, { where: institute.name }), data }
}

/** One for each child that anything was paid for; a child's records of several academic years have one together. */
function certificatesOf(
  year: string,
  rows: readonly Row[],
  names: HistoryPageData['names'],
): { url: string; name: string }[] {
  const byName = Map.groupBy(rows, row => names.get(row.studentId) ?? '')
  return [...byName].flatMap(([name, [first]]) =>
    first === undefined || name === ''
      ? []
      : [{ name, url: `/parents/students/${first.studentId}/fee-certificate/${year}` }],
  )
}

/** The limit of the underlying reads. */
const MOST = 500

/** All other order kinds are paid at the checkout. */
const WAYS: Partial<Record<StudentPayment['orderKind'], Row['way']>> = {
  instalment: 'instalment',
  downpayment: 'downpayment',
  loan: 'loan',
}

function onlineRow(payment: StudentPayment, language: Language, { history }: ParentsTexts): Row {
  const { receipt, refundedPaise, isReversed, orderKind } = payment
  const way = WAYS[orderKind] ?? 'online'
  return {
    at: payment.capturedAt ?? payment.createdAt,
    studentId: payment.studentId,
    amountPaise: payment.amountPaise,
    way,
    what: feesOf(payment.lines, language),
    notes: [
      ...(isReversed ? [{ text: history.reversed, tone: 'failed' }] : []),
      ...(refundedPaise > 0
        ? [{ text: fill(history.refunded, { amount: formatRupees(refundedPaise) }), tone: 'unpaid' }]
        : []),
    ],
    reference: payment.transactionId ?? payment.orderId,
    receipt: receiptLink(receipt, payment.orderId, history),
  }
}

function feesOf(lines: readonly { componentType: string; amountPaise: Paise }[], language: Language): string {
  const paid = lines.filter(line => line.amountPaise > 0)
  return paid.map(line => feeName(line.componentType, language)).join(', ')
}

/** `id`: of the order, or of the payment at the counter. */
function receiptLink(
  receipt: ReceiptKey | null,
  id: string,
  { receipt: text }: ParentsTexts['history'],
): Row['receipt'] {
  if (receipt === null) return null
  return { url: `/parents/history/${id}`, text: fill(text, { number: receiptNumber(receipt) }) }
}

function counterRow(payment: CounterPayment, language: Language, { history }: ParentsTexts): Row {
  return {
    at: payment.paidAt,
    studentId: payment.studentId,
    amountPaise: payment.amountPaise,
    way: 'counter',
    what: feesOf(payment.lines, language),
    notes: [],
    reference: payment.transactionId,
    receipt: receiptLink(payment.receipt, payment.id, history),
  }
}
