import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { createdIfNew, one } from '../../http/reply.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { studentParams } from '../../students/student.input.ts'
import { virtualAccountOutput } from './virtual-account.schemas.ts'
import { getVirtualAccount, openVirtualAccount } from './virtual-accounts.service.ts'

const VIRTUAL_ACCOUNT = '/api/v1/integrations/pay/students/:service_student_id/virtual_account'
const tag = 'Fees'

export function virtualAccountRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addRead(app, {
    url: VIRTUAL_ACCOUNT,
    docs: {
      operationId: 'getVirtualAccount',
      tag,
      summary: 'Get the account number of a student',
      description:
        'Where the family can transfer fees to, in any amount and without being asked. 404 when the student has none.',
      errors: [404],
    },
    output: one(virtualAccountOutput),
    params: studentParams,
    answer: ({ caller: { institute }, params: { studentId } }) =>
      getVirtualAccount(ctx, { instituteId: institute.id, studentId }),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: VIRTUAL_ACCOUNT,
    scope: 'orders',
    docs: {
      operationId: 'createVirtualAccount',
      tag,
      summary: 'Give a student an account number',
      description:
        'Has the payment provider open it, or answers the one that the student has (200). A transfer to it is one payment, booked ' +
        'once by its UTR (`mode: bank_transfer`): what is overdue is paid first, then the oldest due, then components in the order ' +
        'registered, less what is on the way; the rest is an advance. Recorded as `pay.payment.*` with the student. 409 when the ' +
        "branch's payment provider gives no account numbers, or the student has left.",
      errors: [404, 409],
    },
    output: createdIfNew(virtualAccountOutput),
    params: studentParams,
    perform: (act, { caller: { institute }, params: { studentId } }) =>
      openVirtualAccount(ctx, act, { institute, studentId }),
  })
}
