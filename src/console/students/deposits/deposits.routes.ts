import type { FastifyInstance } from 'fastify'
import type { ComponentAmount } from '../../../fees/advances/advances.rules.ts'
import { created, createdAll, from, one } from '../../../http/reply.ts'
import { readDeposits, setDeposits, type MarkedDeposits } from '../../../institutes/catalogue.service.ts'
import type { Context } from '../../../platform/context.ts'
import { toRupees } from '../../../platform/money.ts'
import {
  depositReturnInput,
  depositReturnOutput,
  depositsInput,
  depositsOutput,
} from '../../../students/deposits/deposit.schemas.ts'
import { heldDepositList } from '../../../students/deposits/held-deposit.list.ts'
import { returnDeposit, undoDepositReturn } from '../../../students/deposits/return-deposit.service.ts'
import { studentParams } from '../../../students/student.input.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addList } from '../../lists/list.routes.ts'
import { FINANCE_ROLES } from '../students.rules.ts'

/** Money that is held for families: which fees are deposits, what is held, and giving it back. */
export function heldDepositRoutes(app: FastifyInstance, ctx: Context): void {
  addList(app, ctx, { url: '/money/deposits', list: heldDepositList, roles: EVERYONE })
  addConsoleRead(app, ctx, {
    url: '/deposit-fees',
    roles: EVERYONE,
    output: one(depositsOutput),
    answer: async ({ institute }) => ({ componentTypes: await readDeposits(ctx.db, institute.id) }),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/deposit-fees',
    // What is a deposit can be given back, so it is an owner who says so.
    roles: ['owner'],
    body: depositsInput,
    output: from(one(depositsOutput), ({ after }: MarkedDeposits) => ({ componentTypes: after })),
    perform: (command, { institute, body }) => setDeposits(ctx, command, institute, body.componentTypes),
    audit: ({ institute }, { before, after }) => ({
      what: 'deposits.changed',
      about: institute.code,
      before: { component_types: before },
      after: { component_types: after },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/students/:service_student_id/deposit-returns',
    roles: FINANCE_ROLES,
    params: studentParams,
    body: depositReturnInput,
    output: createdAll(depositReturnOutput),
    perform: (command, { institute, params, body }) =>
      returnDeposit(ctx, command, { instituteId: institute.id, ...params }, body),
    audit: ({ params, body }, returned: ComponentAmount[]) => ({
      what: 'deposit.returned',
      about: params.studentId,
      why: body.reason,
      after: Object.fromEntries(returned.map(one => [one.componentType, toRupees(one.amountPaise)])),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/students/:service_student_id/deposit-returns/undo',
    roles: FINANCE_ROLES,
    params: studentParams,
    body: depositReturnInput,
    output: created(depositReturnOutput),
    perform: (command, { institute, params, body }) =>
      undoDepositReturn(ctx, command, { instituteId: institute.id, ...params }, body),
    audit: ({ params, body }, undone: ComponentAmount) => ({
      what: 'deposit.return_undone',
      about: params.studentId,
      why: body.reason,
      after: { [undone.componentType]: toRupees(undone.amountPaise) },
    }),
  })
}
