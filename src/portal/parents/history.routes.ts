import type { FastifyInstance, FastifyReply } from 'fastify'
import { getOrder } from '../../orders/orders.service.ts'
import { receiptPdf } from '../../payments/receipts/receipt-file.service.ts'
import { listPaid } from '../../payments/student-payments.service.ts'
import type { Till } from '../../payments/context.ts'
import { listChildren, listCounterPayments } from '../../students/users/parents.service.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { describeHistory } from './history-page.ts'
import { sendPage } from '../layout.ts'
import { frameOf, HOME, sendUnknown, userOf, withParent, type Visit } from './access.ts'

const hidden = { schema: { hide: true } }

/** Everything that was paid for a parent's children, in all years, with the receipts. */
export function historyPages(app: FastifyInstance, till: Till): void {
  app.get(
    `${HOME}/history`,
    hidden,
    withParent(till, visit => showHistory(till, visit)),
  )
  app.get(
    `${HOME}/history/:order_id`,
    hidden,
    withParent(till, visit => sendReceipt(till, visit)),
  )
}

async function showHistory(till: Till, visit: Visit): Promise<FastifyReply> {
  const { session, words, language, reply } = visit
  const { institute } = session
  const ids = await listChildren(till, userOf(session))
  const keys = ids.map(studentId => ({ instituteId: institute.id, studentId }))
  const [contexts, online, counter] = await Promise.all([
    readStudentContexts(till.db, keys),
    listPaid(till.db, institute.id, ids),
    listCounterPayments(till, institute.id, ids),
  ])
  const names = new Map([...contexts].map(([id, { student }]) => [id, student.fullname]))
  const { title, data } = describeHistory({ institute, names, online, counter, language }, words)
  return sendPage(reply, {
    template: 'parents-history',
    title,
    language,
    data: { ...frameOf(visit, till), ...data },
  })
}

/** Only of a payment that their own list shows. */
async function sendReceipt(till: Till, visit: Visit): Promise<FastifyReply> {
  const { session, request, reply } = visit
  const { institute } = session
  const { order_id: id } = request.params as { order_id: string }
  const ids = await listChildren(till, userOf(session))
  const paid = (await listPaid(till.db, institute.id, ids)).find(payment => payment.orderId === id)
  if (paid === undefined) return sendUnknown(visit)
  const pdf = await receiptPdf(till, institute, await getOrder(till, institute, paid.orderKind, id))
  if (pdf === null) return sendUnknown(visit)
  return reply
    .header('content-type', 'application/pdf')
    .header('content-disposition', `attachment; filename="receipt-${id}.pdf"`)
    .header('cache-control', 'no-store')
    .send(pdf)
}
