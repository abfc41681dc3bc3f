import type { FastifyInstance } from 'fastify'
import { one } from '../../http/reply.ts'
import { subtractPaise, toRupees } from '../../platform/money.ts'
import { confirmTransfer, returnTransfer } from '../../loans/transfers.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { readLetter } from '../../loans/desk/desk.service.ts'
import { cancelApplication } from '../../loans/lender-sync.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addList } from '../lists/list.routes.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import { cancelInput, confirmInput, letterVersionQuery, loanParams, returnInput } from './loan.input.ts'
import { loanList } from './loan.list.ts'
import { loanDetailOutput } from './loan.output.ts'
import { readLoan } from './loans.service.ts'

/** The loans of an institute's families. */
export function loanConsoleRoutes(app: FastifyInstance, ctx: LoanContext): void {
  addList(app, ctx, { url: '/loans', list: loanList, of: ({ institute }) => ({ instituteId: institute.id }) })
  addConsoleRead(app, ctx, {
    url: '/loans/:application_id',
    roles: EVERYONE,
    params: loanParams,
    output: one(loanDetailOutput),
    answer: ({ institute, params }) => readLoan(ctx, institute, params.applicationId),
  })
  addConsoleFile(app, ctx, {
    url: '/loans/:application_id/letter',
    roles: MONEY_HANDLERS,
    params: loanParams,
    query: letterVersionQuery,
    mediaType: 'application/pdf',
    answer: async ({ institute, params: { applicationId }, query: { version } }) => ({
      name: `${applicationId}-sanction-letter.pdf`,
      content: await readLetter(ctx, { instituteId: institute.id, applicationId }, version),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/loans/:application_id/cancel',
    roles: MONEY_HANDLERS,
    params: loanParams,
    body: cancelInput,
    perform: (command, { institute, params }) =>
      cancelApplication(ctx, command, institute, params.applicationId),
    audit: ({ params, body }) => ({ what: 'loan.canceled', about: params.applicationId, why: body.reason }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/loans/:application_id/confirm',
    roles: MONEY_HANDLERS,
    params: loanParams,
    body: confirmInput,
    perform: (command, { institute, params: { applicationId }, body }) =>
      confirmTransfer(ctx, command, { instituteId: institute.id, applicationId }, body),
    audit: ({ params, body }, { reference, amountPaise, returnedPaise }) => ({
      what: body.isReceived ? 'loan.transfer_received' : 'loan.transfer_missing',
      about: params.applicationId,
      after: { utr: reference, amount: toRupees(subtractPaise(amountPaise, returnedPaise)) },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/loans/:application_id/return',
    roles: MONEY_HANDLERS,
    params: loanParams,
    body: returnInput,
    perform: (command, { institute, params: { applicationId }, body }) =>
      returnTransfer(ctx, command, { instituteId: institute.id, applicationId }, body),
    audit: ({ params, body }, { reference, returnedPaise }) => ({
      what: body.utr === null ? 'loan.confirmation_withdrawn' : 'loan.transfer_returned',
      about: params.applicationId,
      why: body.reason,
      after: { utr: reference, returned_by: body.utr, returned_amount: toRupees(returnedPaise) },
    }),
  })
}
