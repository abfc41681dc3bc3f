import type { FastifyInstance } from 'fastify'
import {
  counterRefundInput,
  counterRefundOutput,
  refundParams,
} from '../../banking/refunds/counter-refund.schemas.ts'
import { movedOutput, moveInput } from '../../banking/moves/payment-move.schemas.ts'
import type { MovedPayment } from '../../banking/moves/payment-move.service.ts'
import type { CounterRefund } from '../../banking/refunds/counter-refund.service.ts'
import { advanceUseOutput, lateFeeEntryOutput } from '../../dues/dues.schemas.ts'
import { refundOutput } from '../../payments/refund.schemas.ts'
import {
  leavingInput,
  leavingOutput,
  leavingPreviewInput,
  leavingPreviewOutput,
} from '../../leaving/leaving.schemas.ts'
import { previewLeaving } from '../../leaving/leaving.service.ts'
import { printNoDues } from '../../leaving/no-dues.service.ts'
import {
  countVirtualAccounts,
  requestVirtualAccounts,
  type RequestedAccounts,
} from '../../dues/virtual-accounts/account-requests.service.ts'
import {
  accountCountsOutput,
  virtualAccountOutput,
} from '../../dues/virtual-accounts/virtual-account.schemas.ts'
import {
  openVirtualAccount,
  type GivenAccount,
} from '../../dues/virtual-accounts/virtual-accounts.service.ts'
import { useAdvance } from '../../dues/excess.service.ts'
import type { AdvanceUse } from '../../fees/advances/advances.service.ts'
import { takeAtCounter } from '../../dues/counter.service.ts'
import { createDuesOrder } from '../../dues/pay-dues.service.ts'
import type { ConsoleContext } from '../context.ts'
import { notFound, badField } from '../../platform/errors.ts'
import { toRupees } from '../../platform/money.ts'
import {
  countedOutput,
  directPaymentOutput,
  remarkOn,
  toCounted,
  paymentParams,
} from '../../students/direct-payments/direct-payment.schemas.ts'
import type { RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import type { RecordedOutcome } from '../../students/direct-payments/direct-payments.service.ts'
import { printDirectVoucher } from '../../students/direct-payments/direct-voucher.service.ts'
import type { ChangedProfile } from '../../students/profile/profile.service.ts'
import { studentParams } from '../../students/student.input.ts'
import { studentOutput, toShownRecord } from '../../students/student.output.ts'
import {
  advanceRefundAct,
  cancellationAct,
  concessionAct,
  counterRefundAct,
  paymentMoveAct,
  waiverAct,
} from '../approvals/acts.ts'
import { keptOr } from '../approvals/approval.list.ts'
import { noteOf, guarded } from '../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../approvals/approvals.service.ts'
import { classChangeAct } from '../approvals/bulk-acts.ts'
import { leavingAct } from '../approvals/student-acts.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE, TAKERS } from '../console.rules.ts'
import { assertMayTake } from '../counter/counter.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { created, createdAll, createdIfNew, done, from, one, remarked } from '../../http/reply.ts'
import * as acts from './actions.service.ts'
import { ERP_ROLES, FINANCE_ROLES } from './students.rules.ts'
import * as input from './students.input.ts'
import { fetchedOutput, studentLinkOutput } from './students.output.ts'
import type { LinkScope } from '../../dues/due-links.rules.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { bulkOutput } from '../lists/list.schemas.ts'
import { linksInput } from './students.input.ts'
import { makeLinks, type MadeLinks } from './actions.service.ts'

const STUDENT = '/students/:service_student_id'

export function studentActRoutes(app: FastifyInstance, flex: ConsoleContext): void {
  addFetch(app, flex)
  addDirectPayments(app, flex)
  addCounterRefund(app, flex)
  addPaymentMove(app, flex)
  addConcession(app, flex)
  addLateFeeWaiver(app, flex)
  addAdvanceUse(app, flex)
  addAdvanceRefund(app, flex)
  addAccountNumber(app, flex)
  addProfile(app, flex)
  addLeaving(app, flex)
  addStatus(app, flex)
  addOrder(app, flex)
}

function addFetch(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/fetch`,
    roles: ERP_ROLES,
    output: one(fetchedOutput),
    params: studentParams,
    perform: (act, { institute, params }) => acts.fetchNow(flex, act, { institute, ...params }),
    audit({ params }, asked: acts.ErpFetch) {
      const changes = asked.kind === 'found' ? asked.changes : []
      return {
        what: 'student.fetched',
        about: params.studentId,
        before: Object.fromEntries(changes.map(({ field, before }) => [field, before])),
        after: {
          outcome: asked.kind,
          ...Object.fromEntries(changes.map(({ field, after }) => [field, after])),
        },
      }
    },
  })
}

function addDirectPayments(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/payments`,
    roles: TAKERS,
    output: remarked(from(created(countedOutput), toCounted<RecordedOutcome>), remarkOn),
    params: studentParams,
    body: input.recordInput,
    perform(act, { institute, who, role, params, body }) {
      assertMayTake(role, body, flex.clock.now())
      const { reason: _reason, waiveReason, shownPaise, instrument, ...payment } = body
      const handed = { payment, instrument, shownPaise, waiveReason, recordedBy: who.email }
      return takeAtCounter(flex, act, { institute, ...params }, handed)
    },
    audit: ({ params, body }, { isNew, payment }: RecordedOutcome) =>
      isNew
        ? {
            what: 'payment.recorded',
            about: params.studentId,
            ...(body.reason === null ? {} : { why: body.reason }),
            after: directPaymentOutput.toJson(payment),
          }
        : null,
  })
  addConsoleWrite(app, flex, {
    method: 'DELETE',
    url: `${STUDENT}/payments/:transaction_id`,
    roles: FINANCE_ROLES,
    output: keptOr(one(directPaymentOutput)),
    params: paymentParams,
    body: input.reasonInput,
    perform: (act, { params: { studentId: about, transactionId }, body: { reason }, ...by }) =>
      performOrKeep(flex, act, by, {
        name: 'payment_cancellation',
        about,
        request: { transactionId, reason },
      }),
    audit: ({ institute, params, body: { reason } }, result: RecordedPayment | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : cancellationAct.note(
            { institute, about: params.studentId },
            { transactionId: params.transactionId, reason },
            result,
          ),
  })
}

function addCounterRefund(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/payments/:transaction_id/refunds`,
    roles: FINANCE_ROLES,
    output: keptOr(created(counterRefundOutput)),
    params: paymentParams,
    body: counterRefundInput,
    perform: (act, { params: { studentId: about, transactionId }, body, ...by }) =>
      performOrKeep(flex, act, by, { name: 'counter_refund', about, request: { transactionId, ...body } }),
    audit: ({ institute, params: { studentId: about, transactionId }, body }, result: CounterRefund | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : counterRefundAct.note({ institute, about }, { transactionId, ...body }, result),
  })
  addConsoleFile(app, flex, {
    url: '/counter/refunds/:refund_id/pdf',
    roles: EVERYONE,
    params: refundParams,
    mediaType: 'application/pdf',
    isShown: true,
    async answer({ institute, params: { refundId } }) {
      const content = await printDirectVoucher(flex, institute, refundId)
      if (content === null) throw notFound('This refund')
      return { name: `refund-${refundId}.pdf`, content }
    },
  })
}

function addPaymentMove(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/payments/:transaction_id/move`,
    roles: FINANCE_ROLES,
    output: keptOr(created(movedOutput)),
    params: paymentParams,
    body: moveInput,
    perform: (act, { params: { studentId: about, transactionId }, body, ...by }) =>
      performOrKeep(flex, act, by, { name: 'payment_move', about, request: { transactionId, ...body } }),
    audit: ({ institute, params: { studentId: about, transactionId }, body }, result: MovedPayment | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : paymentMoveAct.note({ institute, about }, { transactionId, ...body }, result),
  })
}

function addConcession(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/concessions`,
    roles: FINANCE_ROLES,
    params: studentParams,
    body: input.concessionInput,
    ...guarded(flex, concessionAct, { name: 'concession', output: done, aboutOf: studentOf }),
  })
}

const studentOf = ({ studentId }: { studentId: string }): string => studentId

function addLateFeeWaiver(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/late-fee-waivers`,
    roles: FINANCE_ROLES,
    params: studentParams,
    body: input.lateFeeWaiverInput,
    ...guarded(flex, waiverAct, {
      name: 'late_fee_waiver',
      output: createdAll(lateFeeEntryOutput),
      aboutOf: studentOf,
    }),
  })
}

function addAdvanceRefund(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/advance-refunds`,
    roles: FINANCE_ROLES,
    params: studentParams,
    body: input.advanceRefundInput,
    ...guarded(flex, advanceRefundAct, {
      name: 'advance_refund',
      output: createdAll(refundOutput),
      aboutOf: studentOf,
    }),
  })
}

function addAdvanceUse(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/advance-uses`,
    roles: FINANCE_ROLES,
    params: studentParams,
    body: input.advanceInput,
    output: createdAll(advanceUseOutput),
    perform: (act, { institute, who, params, body }) =>
      useAdvance(flex, act, { institute, ...params }, { ...body, actor: who.email }),
    audit: ({ params, body }, uses: AdvanceUse[]) => ({
      what: 'advance.used',
      about: params.studentId,
      why: body.reason,
      after: Object.fromEntries(
        uses.map(use => [`${use.fromComponent} → ${use.toComponent}`, toRupees(use.amountPaise)]),
      ),
    }),
  })
}

function addAccountNumber(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/virtual-account`,
    roles: FINANCE_ROLES,
    params: studentParams,
    output: createdIfNew(virtualAccountOutput),
    perform: (act, { institute, params }) => openVirtualAccount(flex, act, { institute, ...params }),
    audit: ({ params }, { isNew, accountNumber }: GivenAccount) =>
      isNew
        ? {
            what: 'student.account_number_given',
            about: params.studentId,
            after: { account_number: accountNumber },
          }
        : null,
  })
}

function addLeaving(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/leaving/preview`,
    roles: FINANCE_ROLES,
    params: studentParams,
    body: leavingPreviewInput,
    output: one(leavingPreviewOutput),
    perform: (act, { institute, params, body }) => previewLeaving(flex, act, { institute, ...params }, body),
    audit: () => null,
  })
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/leaving`,
    roles: FINANCE_ROLES,
    params: studentParams,
    body: leavingInput,
    ...guarded(flex, leavingAct, { name: 'leaving', output: created(leavingOutput), aboutOf: studentOf }),
  })
  addConsoleFile(app, flex, {
    url: `${STUDENT}/no-dues-certificate`,
    roles: EVERYONE,
    params: studentParams,
    mediaType: 'application/pdf',
    isShown: true,
    answer: ({ institute, params: { studentId } }) => printNoDues(flex, institute, studentId),
  })
}

function addStatus(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/status`,
    roles: FINANCE_ROLES,
    params: studentParams,
    body: input.statusInput,
    perform: (act, { institute, params, body }) =>
      acts.setStatus(flex, act, { institute, ...params }, body.status),
    audit: ({ params, body }, { before, after }) => ({
      what: after === 'dropped' ? 'student.dropped' : 'student.activated',
      about: params.studentId,
      why: body.reason,
      before: { status: before },
      after: { status: after },
    }),
  })
}

function addProfile(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'PATCH',
    url: STUDENT,
    roles: FINANCE_ROLES,
    output: keptOr(from(one(studentOutput), ({ record }: ChangedProfile) => toShownRecord(record))),
    params: studentParams,
    body: input.profileChangeInput,
    perform: (act, { params, body: request, ...by }) =>
      performOrKeep(flex, act, by, { name: 'class_change', about: params.studentId, request }),
    audit({ institute, params, body }, result: ChangedProfile | Kept) {
      if (result instanceof Kept) return noteOf(result.approval)
      return result.changes.length === 0
        ? null
        : classChangeAct.note({ institute, about: params.studentId }, body, result)
    },
  })
}

function addOrder(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleWrite(app, flex, {
    method: 'POST',
    url: `${STUDENT}/orders`,
    roles: FINANCE_ROLES,
    output: created(studentLinkOutput),
    params: studentParams,
    body: input.orderInput,
    perform: (act, { institute, params, body }) =>
      createDuesOrder(
        flex,
        act,
        { institute, ...params },
        {
          ...body,
          callbackUrl: null,
        },
      ),
    audit: ({ params }, { orderId, amountPaise }) => ({
      what: 'order.made',
      about: params.studentId,
      after: { order_id: orderId, amount: toRupees(amountPaise) },
    }),
  })
}

/** Payment links for students that were picked; each has its own entry in the audit log. */
export function studentLinkRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addAccountNumbers(app, ctx)
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/students/payment-links',
    roles: FINANCE_ROLES,
    body: linksInput,
    output: one(bulkOutput),
    perform: (command, { institute, body: { studentIds, channels, language, ...body } }) =>
      makeLinks(ctx, command, { institute, studentIds }, { asked: scopeOf(body), channels, language }),
    audit: ({ body: { scope, until, channels, language } }, { links }: MadeLinks) =>
      links.map(({ studentId, orderId, amountPaise, isNew }) =>
        isNew
          ? {
              what: 'order.made',
              about: studentId,
              after: {
                order_id: orderId,
                amount: toRupees(amountPaise),
                scope,
                ...(until === null ? {} : { until }),
                channels,
              },
            }
          : { what: 'order.sent', about: orderId, after: { channels, language } },
      ),
  })
}

function addAccountNumbers(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/students/virtual-accounts',
    roles: FINANCE_ROLES,
    body: input.manyStudentsInput,
    output: one(bulkOutput),
    perform: (command, { institute, body }) =>
      requestVirtualAccounts(ctx, command, { institute, studentIds: body.studentIds }),
    audit: (_call, { done }: RequestedAccounts) =>
      done.map(about => ({ what: 'student.account_number_asked_for', about })),
  })
  addConsoleRead(app, ctx, {
    url: '/students/virtual-accounts',
    roles: FINANCE_ROLES,
    output: one(accountCountsOutput),
    answer: ({ institute }) => countVirtualAccounts(ctx, institute),
  })
}

function scopeOf({ scope, until }: { scope: LinkScope['scope']; until: string | null }): LinkScope {
  if (scope !== 'due_by') return { scope }
  if (until === null) throw badField('until', 'is required with due_by')
  return { scope, until }
}
