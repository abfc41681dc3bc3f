import type { RetentionSettings } from './config.ts'
import type { BursarContext } from './context.ts'
import { retainMonths } from './retention.ts'
import { nextChequeReminderDue, remindOfCheques } from '../banking/post-dated/post-dated.service.ts'
import { expireApprovals, nextApprovalExpiry } from '../console/approvals/approvals.service.ts'
import { purgeSessions } from '../console/auth/sessions.service.ts'
import { mailDisputes } from '../console/money/disputes/dispute-mails.service.ts'
import { mailReports, nextReportDue } from '../console/reports/mailing/mailing.service.ts'
import { countChanges } from '../console/sums/sums.service.ts'
import { duesAtYearEnd } from '../dues/dues.service.ts'
import { askForAccounts, nextAccountDue } from '../dues/virtual-accounts/account-requests.service.ts'
import { nextStepAt, runSteps } from '../flex/engine/engine.service.ts'
import { checkMandates, nextMandateCheckAt } from '../flex/mandates/mandates.service.ts'
import {
  nextBounceAt,
  nextReminderDue,
  nextReminderStop,
  sendBounces,
  sendReminders,
} from '../flex/notices/notices.service.ts'
import { readUnsettled } from '../flex/plans/plans.service.ts'
import { nextRebalanceDue, rebalanceSome } from '../flex/plans/rebalance.service.ts'
import { purgeImports } from '../imports/imports.service.ts'
import {
  checkApplications,
  nextApplicationExpiry,
  nextCheckDue as nextLoanCheckDue,
} from '../loans/lender-sync.service.ts'
import { nextMessageDue, purgeSecrets, sendMessages } from '../messages/messages.service.ts'
import { expireOrders, nextExpiry } from '../orders/orders.service.ts'
import { purgeUnpaidForms } from '../payment-pages/page-payments.service.ts'
import { checkPayments, nextCheckDue } from '../payments/payments.service.ts'
import { nextDisputeMailDue } from '../payments/disputes/disputes.service.ts'
import { nextNoticeDue, notifyPayers } from '../payments/notices/notices.service.ts'
import { checkNextBooks } from '../payments/reconcile/reconcile.service.ts'
import { nextTryDue, sendRefunds } from '../payments/refunds/refunds.service.ts'
import {
  nextSettlementDue,
  nextSettlementRun,
  settleDue,
} from '../payments/settlements/settlements.service.ts'
import { purgeStoredAnswers } from '../platform/idempotency.ts'
import type { Job } from '../platform/jobs/job.ts'
import { processBatches } from '../platform/jobs/due-rows.ts'
import { purgeEntries } from '../portal/entry/entry.service.ts'
import { purgeChildTries } from '../portal/poster/poster.service.ts'
import { purgeSignIns } from '../portal/sign-in/sign-in.service.ts'
import { nextFeeReminderDue, sendFeeReminders } from '../reminders/reminders.service.ts'
import type { SandboxBank } from '../sandbox/bank/simulator.service.ts'
import { advanceRollovers, type YearEnd } from '../students/rollover/rollover.service.ts'
import { mailFailures, nextFailureMailDue } from '../webhooks/failure-mails/failure-mails.service.ts'

/**
 * Every job. They run side by side; a moved sandbox clock runs the work one by one in this order: the bank's own reports
 * come before we ask for them, and messages go after everything that may queue one.
 */
export function createJobs(
  { retention }: { retention: RetentionSettings },
  ctx: BursarContext,
  bank: SandboxBank | null,
): Job[] {
  return [
    work('orders_expired', {
      run: processBatches(limit => expireOrders(ctx, limit)),
      nextDueAt: () => nextExpiry(ctx),
      nextStop: () => nextExpiry(ctx),
    }),
    ...(bank === null ? [] : [bankJob(bank)]),
    work('payments_checked', {
      concurrency: 16,
      run: checkPayments(ctx),
      nextDueAt: () => nextCheckDue(ctx),
    }),
    work('refunds_sent', {
      concurrency: 8,
      run: sendRefunds(ctx),
      nextDueAt: () => nextTryDue(ctx),
    }),
    work('account_numbers_asked', {
      timeLimitMs: 3 * MINUTE_MS,
      run: processBatches(limit => askForAccounts(ctx, limit)),
      nextDueAt: () => nextAccountDue(ctx),
    }),
    // Many days of each provider after an outage, page by page.
    work('items_settled', {
      timeLimitMs: 15 * MINUTE_MS,
      run: processBatches(() => settleDue(ctx, bank)),
      nextDueAt: () => nextSettlementRun(ctx),
      nextStop: () => nextSettlementDue(ctx),
    }),
    work('rollovers_advanced', { run: processBatches(() => advanceRollovers(ctx, yearEnd)) }),
    ...flexJobs(ctx),
    work('approvals_expired', {
      run: processBatches(limit => expireApprovals(ctx, limit)),
      nextDueAt: () => nextApprovalExpiry(ctx),
      nextStop: () => nextApprovalExpiry(ctx),
    }),
    work('webhook_mails', {
      run: processBatches(limit => mailFailures(ctx, limit)),
      nextDueAt: () => nextFailureMailDue(ctx),
    }),
    work('disputes_mailed', {
      run: processBatches(limit => mailDisputes(ctx, limit)),
      nextDueAt: () => nextDisputeMailDue(ctx),
    }),
    work('payers_notified', {
      wakesOn: 'receipts',
      run: processBatches(limit => notifyPayers(ctx, limit)),
      nextDueAt: () => nextNoticeDue(ctx),
    }),
    // Each asks an ERP about one family.
    work('fee_reminders_sent', {
      concurrency: 8,
      run: sendFeeReminders(ctx),
      nextDueAt: () => nextFeeReminderDue(ctx),
      nextStop: () => nextFeeReminderDue(ctx),
    }),
    work('cheques_reminded', {
      run: processBatches(limit => remindOfCheques(ctx, limit)),
      nextDueAt: () => nextChequeReminderDue(ctx),
      nextStop: () => nextChequeReminderDue(ctx),
    }),
    work('reports_mailed', {
      run: processBatches(limit => mailReports(ctx, limit)),
      nextDueAt: () => nextReportDue(ctx),
      nextStop: () => nextReportDue(ctx),
    }),
    work('sums_counted', { run: processBatches(() => countChanges(ctx)) }),
    // SMTP servers dislike more connections; one that hangs holds up this many messages and no more.
    work('messages_sent', {
      concurrency: 5,
      wakesOn: 'messages',
      run: sendMessages(ctx),
      nextDueAt: () => nextMessageDue(ctx),
    }),
    ...purges(ctx),
    months(ctx, retention),
  ]
}

function bankJob(bank: SandboxBank): Job {
  return work('bank_confirms', {
    run: processBatches(limit => bank.runDue(limit)),
    nextDueAt: () => bank.nextDue(),
    nextStop: () => bank.nextDue(),
  })
}

/** Plans and loans. A chunk or batch asks an ERP about hundreds of students, and an ERP may be slow. */
function flexJobs(ctx: BursarContext): Job[] {
  return [
    work('mandates_checked', {
      concurrency: 8,
      run: checkMandates(ctx),
      nextDueAt: () => nextMandateCheckAt(ctx),
      nextStop: () => nextMandateCheckAt(ctx),
    }),
    work('plans_rebalanced', {
      run: processBatches(() => rebalanceSome(ctx)),
      nextDueAt: () => nextRebalanceDue(ctx),
    }),
    work('instalments_stepped', {
      concurrency: 4,
      timeLimitMs: 15 * MINUTE_MS,
      run: runSteps(ctx),
      nextDueAt: () => nextStepAt(ctx),
      nextStop: () => nextStepAt(ctx),
    }),
    work('loans_checked', {
      concurrency: 8,
      timeLimitMs: 3 * MINUTE_MS,
      run: checkApplications(ctx),
      nextDueAt: () => nextLoanCheckDue(ctx),
      nextStop: () => nextApplicationExpiry(ctx),
    }),
    work('reminders_decided', {
      timeLimitMs: 15 * MINUTE_MS,
      run: processBatches(limit => sendReminders(ctx, limit)),
      nextDueAt: () => nextReminderDue(ctx),
      nextStop: () => nextReminderStop(ctx),
    }),
    work('bounces_notified', {
      timeLimitMs: 15 * MINUTE_MS,
      run: processBatches(limit => sendBounces(ctx, limit)),
      nextDueAt: () => nextBounceAt(ctx),
      nextStop: () => nextBounceAt(ctx),
    }),
  ]
}

function purges(ctx: BursarContext): Job[] {
  return [
    purge('imports_purged', limit => purgeImports(ctx, limit)),
    purge('sessions_purged', limit => purgeSessions(ctx, limit)),
    purge('message_secrets_erased', limit => purgeSecrets(ctx, limit)),
    purge('entries_purged', limit => purgeEntries(ctx, limit)),
    purge('sign_ins_purged', limit => purgeSignIns(ctx, limit)),
    purge('child_tries_purged', limit => purgeChildTries(ctx, limit)),
    purge('forms_purged', limit => purgeUnpaidForms(ctx, limit)),
    purge('answers_purged', limit => purgeStoredAnswers(ctx.db, limit)),
    // Not a purge, but as little in a hurry: no moved clock waits for it.
    {
      ...purge('books_checked', () => checkNextBooks(ctx)),
      timeLimitMs: 15 * MINUTE_MS,
    },
  ]
}

const MINUTE_MS = 60_000

type WorkOptions = Omit<Job, 'name' | 'kind' | 'concurrency' | 'timeLimitMs'> &
  Partial<Pick<Job, 'concurrency' | 'timeLimitMs'>>

/** One row or batch at a time, for a minute at most, unless said otherwise. */
function work(name: string, options: WorkOptions): Job {
  return { name, kind: 'work', concurrency: 1, timeLimitMs: MINUTE_MS, ...options }
}

/** A month of a large installation takes its time; a stop does not wait for it, and the next run begins it again. */
function months(ctx: BursarContext, settings: RetentionSettings): Job {
  return {
    name: 'months_retained',
    kind: 'purge',
    concurrency: 1,
    timeLimitMs: 6 * 60 * MINUTE_MS,
    run: retainMonths(ctx, settings),
  }
}

function purge(name: string, deleteBatch: (limit: number) => Promise<number>): Job {
  return { name, kind: 'purge', concurrency: 1, timeLimitMs: MINUTE_MS, run: processBatches(deleteBatch) }
}

/** What a rollover asks of plans, dues and orders, which rank above students and beside each other. */
export const yearEnd: YearEnd = { readUnsettled, ...duesAtYearEnd }
