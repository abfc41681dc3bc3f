import type { CredGround } from './cred/cred-ground.ts'
import { checkApplications, nextLapse, nextCheckDue as nextLoanCheckDue } from './cred/lender-line.service.ts'
import { forgetLinkFiles, makeLinks, nextLinksDue } from './console/orders-bulk-steps.service.ts'
import { forgetOldRequests } from './console/developers-requests.service.ts'
import { forgetOldSessions } from './console/sessions.service.ts'
import { nextStepAt, runSteps } from './flex/engine/engine.service.ts'
import type { FlexGround } from './flex/flex-ground.ts'
import { checkMandates, nextMandateCheckAt } from './flex/mandates/mandates.service.ts'
import { nextMessageDue, sendMessages } from './messages/messages.service.ts'
import type { Post } from './messages/post.ts'
import { expireOrders, nextExpiry } from './orders/orders.service.ts'
import { forgetUnpaidForms } from './pages/page-payments.service.ts'
import { checkPayments, nextCheckDue } from './payments/payments.service.ts'
import { nextTryDue, sendRefunds } from './payments/refunds.service.ts'
import type { SandboxBank } from './payments/sandbox-bank.ts'
import { nextSettlementDue, nextSettlementRun, settleDue } from './payments/settle-due.service.ts'
import type { DueWork } from './platform/due-work.ts'
import { forgetOldAnswers } from './platform/idempotency.ts'
import { forgetOldEntries } from './portal/sessions.service.ts'
import { nextBounceAt, sendBounces } from './flex/notices/bounces.service.ts'
import { nextReminderStop, sendReminders } from './flex/notices/reminders.service.ts'
import { forgetImports } from './students/imports.service.ts'
import { forgetOldFetches } from './students/pull-log.service.ts'
import { forgetOldDeliveries } from './webhooks/deliveries.service.ts'
import { mailFailures } from './webhooks/failure-mails.service.ts'

/** The catalogue of due work: a name and one service call each. */
export function dueWork(till: FlexGround & CredGround, bank: SandboxBank | null, post: Post): DueWork[] {
  return [
    {
      name: 'orders_expired',
      runBatch: limit => expireOrders(till, limit),
      nextAt: () => nextExpiry(till),
      nextStop: () => nextExpiry(till),
    },
    // Before we ask: what the bank tells of its own accord need not be asked for.
    {
      name: 'bank_confirms',
      runBatch: async limit => bank?.runDue(limit) ?? 0,
      nextAt: async () => bank?.nextDue() ?? null,
      nextStop: async () => bank?.nextDue() ?? null,
    },
    {
      name: 'payments_checked',
      runBatch: limit => checkPayments(till, limit),
      nextAt: () => nextCheckDue(till),
    },
    {
      name: 'refunds_sent',
      runBatch: limit => sendRefunds(till, limit),
      nextAt: () => nextTryDue(till),
    },
    {
      name: 'items_settled',
      runBatch: () => settleDue(till, bank),
      nextAt: () => nextSettlementRun(till),
      nextStop: () => nextSettlementDue(till),
    },
    {
      name: 'mandates_checked',
      runBatch: limit => checkMandates(till, limit),
      nextAt: () => nextMandateCheckAt(till),
      nextStop: () => nextMandateCheckAt(till),
    },
    {
      name: 'instalments_stepped',
      runBatch: limit => runSteps(till, limit),
      nextAt: () => nextStepAt(till),
      nextStop: () => nextStepAt(till),
    },
    {
      name: 'loans_checked',
      runBatch: limit => checkApplications(till, limit),
      nextAt: () => nextLoanCheckDue(till),
      nextStop: () => nextLapse(till),
    },
    {
      name: 'reminders_decided',
      runBatch: limit => sendReminders(till, limit),
      nextAt: async () => null,
      nextStop: () => nextReminderStop(till),
    },
    {
      name: 'bounces_told',
      runBatch: limit => sendBounces(till, limit),
      nextAt: () => nextBounceAt(till),
      nextStop: () => nextBounceAt(till),
    },
    {
      name: 'links_made',
      runBatch: () => makeLinks(till),
      nextAt: () => nextLinksDue(till),
    },
    {
      name: 'webhook_mails',
      isHousekeeping: true,
      runBatch: limit => mailFailures(till, limit),
      nextAt: async () => null,
    },
    // After everything that may have something to tell.
    {
      name: 'messages_sent',
      runBatch: limit => sendMessages(post, limit),
      nextAt: () => nextMessageDue(post),
    },
    ...forgetting(till),
  ]
}

/** What is past its time is forgotten, a batch at a time. */
function forgetting(till: FlexGround): DueWork[] {
  return [
    forget('deliveries_forgotten', limit => forgetOldDeliveries(till, limit)),
    forget('imports_forgotten', limit => forgetImports(till, limit)),
    forget('link_files_forgotten', limit => forgetLinkFiles(till, limit)),
    forget('fetches_forgotten', limit => forgetOldFetches(till, limit)),
    forget('sessions_forgotten', limit => forgetOldSessions(till, limit)),
    forget('requests_forgotten', limit => forgetOldRequests(till, limit)),
    forget('entries_forgotten', limit => forgetOldEntries(till, limit)),
    forget('forms_forgotten', limit => forgetUnpaidForms(till, limit)),
    forget('answers_forgotten', limit => forgetOldAnswers(till.db, limit)),
  ]
}

function forget(name: string, runBatch: DueWork['runBatch']): DueWork {
  return { name, isHousekeeping: true, runBatch, nextAt: async () => null }
}
