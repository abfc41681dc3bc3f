import type { Institute } from '../institutes/institutes.rules.ts'
import { totalOf, type OrderToPay } from '../orders/orders.rules.ts'
import { findOrders } from '../orders/orders.service.ts'
import { readLetterhead, type Letterhead } from '../receipts/letterhead.service.ts'
import { receiptFileOf, type PaidFor, type PrintOptions, type ReceiptFile } from '../receipts/receipt-file.ts'
import * as receipts from '../receipts/receipts.service.ts'
import { languagesOf } from '../messages/messages.service.ts'
import { feeOnPaper, receiptWords } from '../messages/texts/texts.ts'
import type { Language } from '../platform/languages.ts'
import { subtractPaise } from '../platform/money.ts'
import { classOf } from '../platform/names.ts'
import { readStudentContexts, type StudentContext } from '../students/student-contexts.service.ts'
import type { PaymentContext } from './context.ts'
import type { Payment } from './payments.rules.ts'
import { listPayments, listPaymentsById } from './payments.store.ts'
import { listMade } from './refunds/refunds.store.ts'

export type IssuedReceipt = { receipt: receipts.Receipt; payment: Payment }

/** The receipt of the payment that paid an order; `known`: all its payments, if they have been read. */
export async function findReceipt(
  ctx: PaymentContext,
  institute: Institute,
  order: OrderToPay,
  known?: readonly Payment[],
): Promise<IssuedReceipt | null> {
  const payments = known ?? (await listPayments(ctx.db, institute.id, order.id))
  const payment = payments.find(candidate => candidate.state === 'captured' && !candidate.isDuplicate)
  if (payment === undefined) return null
  const receipt = await receipts.findReceipt(ctx.db, institute.id, payment.id)
  return receipt === null ? null : { receipt, payment }
}

/** Null while there is none. */
export async function findReceiptFile(
  ctx: PaymentContext,
  institute: Institute,
  order: OrderToPay,
  options?: PrintOptions,
): Promise<ReceiptFile | null> {
  const issued = await findReceipt(ctx, institute, order)
  if (issued === null) return null
  const { receipt, payment } = issued
  const letterhead = await readLetterhead(ctx, institute.id)
  const refunds = (await readMade(ctx, [payment])).get(payment.id) ?? []
  const classes = await readClasses(ctx, institute, [order])
  const [language = 'en'] = await languagesOf(ctx.db, [{ instituteId: institute.id, phone: order.phone }])
  const paidFor = paidByOrder(ctx, institute, {
    order: { ...order, grade: classes.get(order.id) ?? order.grade },
    payment,
    letterhead,
    refunds,
    language,
  })
  return receiptFileOf({ instituteId: institute.id, receipt, paidFor }, options)
}

/** The class with its section, as the school says it, by the ids of orders that are for a student we know. */
async function readClasses(
  { db }: PaymentContext,
  institute: Institute,
  orders: readonly OrderToPay[],
): Promise<Map<string, string>> {
  const ids = new Set(orders.flatMap(({ studentId }) => studentId ?? []))
  const keys = [...ids].map(studentId => ({ instituteId: institute.id, studentId }))
  const contexts = keys.length === 0 ? new Map<string, StudentContext>() : await readStudentContexts(db, keys)
  return new Map(
    orders.flatMap(({ id, studentId }) => {
      const context = contexts.get(studentId ?? '')
      return context === undefined ? [] : [[id, classOf(context.gradeName, context.student.section)]]
    }),
  )
}

/** What went back of these payments, by payment; of a payment that pays nothing there is no receipt. */
async function readMade(
  { db }: PaymentContext,
  payments: readonly Payment[],
): Promise<Map<string, PaidFor['refunds']>> {
  const made = await listMade(
    db,
    payments.map(({ instituteId, id: paymentId }) => ({ instituteId, paymentId })),
  )
  const counted = made.filter(refund => refund.kind !== 'duplicate')
  return new Map(
    [...Map.groupBy(counted, refund => refund.paymentId)].map(([id, own]) => [
      id,
      own.map(refund => ({
        at: refund.processedAt ?? refund.requestedAt,
        amountPaise: subtractPaise(refund.amountPaise, refund.chargedPaise),
        voucher: refund.id,
      })),
    ]),
  )
}

type PaidOrderOnPaper = {
  order: OrderToPay
  payment: Payment
  letterhead: Letterhead
  refunds: PaidFor['refunds']
  /** The language of the family, with English beside it. */
  language: Language
}

/** What stands on the receipt of an order. */
function paidByOrder(
  { mode }: PaymentContext,
  institute: Institute,
  { order, payment, letterhead, refunds, language }: PaidOrderOnPaper,
): PaidFor {
  const branch = institute.branches.find(candidate => candidate.collectorCode === order.collectorCode)
  const { academicYearStart: start, academicYearEnd: end } = order
  return {
    institute: institute.name,
    letterhead,
    branch: institute.branches.length > 1 ? (branch?.name ?? null) : null,
    payer: { name: order.name, phone: order.phone, email: order.email },
    student: {
      name: order.studentName,
      identifier: order.identifier,
      grade: order.grade,
      academicYear: start === null || end === null ? null : `${start}-${end}`,
    },
    lines: order.lines.map(line => ({
      label: line.label ?? feeOnPaper(line.componentType, language),
      amountPaise: line.amountPaise,
    })),
    totalPaise: totalOf(order),
    mode: payment.mode,
    transactionId: payment.transactionId ?? payment.id,
    paidAt: null,
    orderId: order.id,
    receivedBy: null,
    isByInstrument: false,
    refunds,
    words: receiptWords(language),
    isSandbox: mode === 'sandbox',
  }
}

/** The same of several payments at a time, by the payments' ids. */
export async function readPaidByOrders(
  ctx: PaymentContext,
  institute: Institute,
  paymentIds: readonly string[],
  letterhead: Letterhead,
): Promise<Map<string, PaidFor>> {
  const payments = await listPaymentsById(ctx.db, institute.id, paymentIds)
  const orderIds = payments.map(payment => payment.orderId)
  const made = await readMade(ctx, payments)
  const found = await findOrders(ctx, institute, orderIds)
  const classes = await readClasses(ctx, institute, found)
  const orders = new Map(
    found.map(order => [order.id, { ...order, grade: classes.get(order.id) ?? order.grade }]),
  )
  const families = found.map(({ phone }) => ({ instituteId: institute.id, phone }))
  const languages = await languagesOf(ctx.db, families)
  const languageOf = new Map(found.map(({ id }, index) => [id, languages[index] ?? 'en']))
  return new Map(
    payments.flatMap(payment => {
      const order = orders.get(payment.orderId)
      return order === undefined
        ? []
        : [
            [
              payment.id,
              paidByOrder(ctx, institute, {
                order,
                payment,
                letterhead,
                refunds: made.get(payment.id) ?? [],
                language: languageOf.get(order.id) ?? 'en',
              }),
            ],
          ]
    }),
  )
}
