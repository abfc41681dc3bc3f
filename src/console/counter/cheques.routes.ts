import type { FastifyInstance } from 'fastify'
import { bankAccountInput, bankAccountOutput } from '../../banking/accounts/account.schemas.ts'
import {
  addBankAccount,
  listBankAccounts,
  type BankAccount,
} from '../../banking/accounts/accounts.service.ts'
import { bounceInput, chequeParams, clearInput } from '../../banking/cheques/cheque.schemas.ts'
import { chequeList, type Cheque } from '../../banking/cheques/cheque.list.ts'
import { bounceCheque, clearCheque } from '../../banking/cheques/cheques.service.ts'
import { printDepositSlip } from '../../banking/deposits/deposit-slip.service.ts'
import {
  cancelDepositInput,
  cashInHandOutput,
  depositInput,
  depositParams,
} from '../../banking/deposits/deposit.schemas.ts'
import { depositList, type ListedDeposit } from '../../banking/deposits/deposit.list.ts'
import { cancelDeposit, makeDeposit, readCashInHand } from '../../banking/deposits/deposits.service.ts'
import { all, created, one, createdAll } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE, AT_COUNTER, TAKERS } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'
import { addList } from '../lists/list.routes.ts'
import { postDatedList, type PostDatedCheque } from '../../banking/post-dated/post-dated.list.ts'
import {
  bankInput,
  giveBackInput,
  postDatedParams,
  registerInput,
  replaceInput,
} from '../../banking/post-dated/post-dated.schemas.ts'
import {
  bankPostDated,
  giveBackPostDated,
  registerPostDated,
  replacePostDated,
} from '../../banking/post-dated/post-dated.service.ts'
import type { AuditNote } from '../audit/audit.service.ts'

/** The cheque register, and what the office takes to its bank. */
export function depositRoutes(app: FastifyInstance, ctx: Context): void {
  addAccounts(app, ctx)
  addCheques(app, ctx)
  addDeposits(app, ctx)
}

function addAccounts(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/bank-accounts',
    roles: EVERYONE,
    output: all(bankAccountOutput),
    answer: ({ institute }) => listBankAccounts(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/bank-accounts',
    roles: FINANCE_ROLES,
    body: bankAccountInput,
    output: created(bankAccountOutput),
    perform: (command, { body }) => addBankAccount(ctx, command, body.name),
    audit: (_call, { id, name }: BankAccount) => ({ what: 'bank_account.added', about: id, after: { name } }),
  })
}

function addCheques(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/counter/cheques', list: chequeList })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/counter/cheques/:payment_id/clear',
    roles: FINANCE_ROLES,
    params: chequeParams,
    body: clearInput,
    output: one(chequeList.output),
    perform: (command, { who, params, body }) =>
      clearCheque(ctx, command, { id: params.paymentId, day: body.day, by: who.email }),
    audit: (_call, cheque: Cheque) => ({
      what: 'cheque.cleared',
      about: cheque.serviceStudentId,
      after: { number: cheque.number, amount: toRupees(cheque.amountPaise), on: cheque.decidedOn },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/counter/cheques/:payment_id/bounce',
    roles: FINANCE_ROLES,
    params: chequeParams,
    body: bounceInput,
    output: one(chequeList.output),
    perform: (command, { institute, who, params, body }) =>
      bounceCheque(ctx, command, institute, { ...body, id: params.paymentId, by: who.email }),
    audit: ({ body }, cheque: Cheque) => ({
      what: 'cheque.bounced',
      about: cheque.serviceStudentId,
      why: body.reason,
      after: {
        number: cheque.number,
        amount: toRupees(cheque.amountPaise),
        on: cheque.decidedOn,
        ...(body.chargePaise === null ? {} : { charge: toRupees(body.chargePaise) }),
      },
    }),
  })
}

function addDeposits(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/counter/deposits', list: depositList })
  addConsoleRead(app, ctx, {
    url: '/counter/cash-in-hand',
    roles: EVERYONE,
    output: one(cashInHandOutput),
    answer: async ({ institute }) => ({ amountPaise: await readCashInHand(ctx, institute) }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/counter/deposits',
    roles: FINANCE_ROLES,
    body: depositInput,
    output: created(depositList.output),
    perform: (command, { who, body }) => makeDeposit(ctx, command, { ...body, by: who.email }),
    audit: (_call, deposit: ListedDeposit) => ({
      what: 'deposit.made',
      about: deposit.id,
      after: { slip: deposit.slipNumber, kind: deposit.kind, amount: toRupees(deposit.amountPaise) },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/counter/deposits/:deposit_id',
    roles: FINANCE_ROLES,
    params: depositParams,
    body: cancelDepositInput,
    output: one(depositList.output),
    perform: (command, { params, body }) =>
      cancelDeposit(ctx, command, { id: params.depositId, reason: body.reason }),
    audit: ({ body }, deposit: ListedDeposit) => ({
      what: 'deposit.cancelled',
      about: deposit.id,
      why: body.reason,
      before: { slip: deposit.slipNumber, amount: toRupees(deposit.amountPaise) },
    }),
  })
  addConsoleFile(app, ctx, {
    url: '/counter/deposits/:deposit_id/pdf',
    roles: EVERYONE,
    params: depositParams,
    mediaType: 'application/pdf',
    isShown: true,
    answer: ({ institute, params }) => printDepositSlip(ctx, institute, params.depositId),
  })
}

const URL = '/counter/post-dated-cheques'

/** The register of cheques for days to come; who takes money adds to it, finance takes them to the bank. */
export function postDatedRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: URL, list: postDatedList, roles: AT_COUNTER })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: URL,
    roles: TAKERS,
    body: registerInput,
    output: createdAll(postDatedList.output),
    perform: (command, { who, body }) => registerPostDated(ctx, command, { ...body, by: who.email }),
    audit: (_call, cheques: PostDatedCheque[]) => cheques.map(cheque => noteOf('received', cheque)),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${URL}/bank`,
    roles: FINANCE_ROLES,
    body: bankInput,
    output: all(postDatedList.output),
    perform: (command, { institute, who, body }) =>
      bankPostDated(ctx, command, institute, { ...body, by: who.email }),
    audit: (_call, cheques: PostDatedCheque[]) => cheques.map(cheque => noteOf('taken', cheque)),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${URL}/:cheque_id/replace`,
    roles: FINANCE_ROLES,
    params: postDatedParams,
    body: replaceInput,
    output: created(postDatedList.output),
    perform: (command, { who, params: { chequeId: id }, body: { reason, ...cheque } }) =>
      replacePostDated(ctx, command, { id, reason, by: who.email }, cheque),
    audit: ({ body: { reason: why } }, cheque: PostDatedCheque) => ({ ...noteOf('replaced', cheque), why }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${URL}/:cheque_id/give-back`,
    roles: FINANCE_ROLES,
    params: postDatedParams,
    body: giveBackInput,
    output: one(postDatedList.output),
    perform: (command, { who, params: { chequeId: id }, body: { reason } }) =>
      giveBackPostDated(ctx, command, { id, reason, by: who.email }),
    audit: ({ body: { reason: why } }, cheque: PostDatedCheque) => ({ ...noteOf('given_back', cheque), why }),
  })
}

function noteOf(
  what: 'received' | 'taken' | 'replaced' | 'given_back',
  { serviceStudentId, id, number, amountPaise, depositOn }: PostDatedCheque,
): AuditNote {
  return {
    what: `post_dated_cheque.${what}`,
    about: serviceStudentId,
    after: { cheque_id: id, number, amount: toRupees(amountPaise), deposit_on: depositOn },
  }
}
