import type { FastifyInstance, FastifyReply } from 'fastify'
import { printCertificate } from '../../dues/certificate/certificate.service.ts'
import { sendIfNew } from '../../http/assets.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { listPaid } from '../../payments/student-payments.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { BursarError } from '../../platform/errors.ts'
import type { ReceiptFile } from '../../receipts/receipt-file.ts'
import { findDirectReceiptFile } from '../../students/direct-payments/direct-receipt.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { isChild, listChildren, listCounterPayments } from '../../students/users/users.service.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { describeHistory } from './history-page.ts'
import { sendPage } from '../layout.ts'
import { frameOf, HOME, sendUnknown, userOf, withParent, type Visit } from './access.ts'
import { findReceiptFile } from '../../payments/order-receipt.service.ts'

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
