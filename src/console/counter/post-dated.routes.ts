import type { FastifyInstance } from 'fastify'
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
import { all, created, createdAll, one } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import type { AuditNote } from '../audit/audit.service.ts'
import { addConsoleWrite } from '../auth/access.routes.ts'
import { AT_COUNTER, TAKERS } from '../console.rules.ts'
import { addList } from '../lists/list.routes.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'

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
