import type { Reach } from './check.ts'

type Group = {
  why: string
  reach: Reach
  senders: readonly string[]
  /** They lead to work, so they leave out schools that are on their way to another cell (platform/db/query.ts). */
  isWork?: true
}

/** Functions whose statements go over several institutes or all on purpose. They still join tenant tables by `institute_id`. */
export const OVER_ALL: readonly Group[] = [
  {
    why: 'What a cell holds, for the directory of cells: plain reads.',
    reach: 'every',
    senders: [
      'cells/directory.store.ts countStudents',
      'cells/directory.store.ts fingerprintContent',
      'cells/directory.store.ts readContent',
      'cells/directory.store.ts readLoad',
    ],
  },
  {
    why: 'When work falls due next, and which institutes have some: plain reads.',
    reach: 'every',
    isWork: true,
    senders: [
      'banking/post-dated/post-dated.store.ts nextToRemind',
      'console/approvals/approvals.store.ts nextExpiry',
      'console/reports/mailing/mailing.store.ts nextDue',
      'console/sums/sums.store.ts findChanged',
      'dues/virtual-accounts/virtual-accounts.store.ts nextDue',
      'flex/engine/engine.store.ts nextStepDue',
      'flex/notices/notices.store.ts listBounces',
      'flex/notices/notices.store.ts nextBounce',
      'flex/notices/notices.store.ts listDue',
      'flex/notices/notices.store.ts nextReminderDay',
      'flex/plans/plans.store.ts listLivePlans',
      'imports/imports.store.ts findUnfinished',
      'loans/loans.store.ts nextExpiry',
      'messages/messages.store.ts nextWaiting',
      'orders/orders.store.ts firstExpiry',
      'payments/disputes/disputes.store.ts firstToMail',
      'payments/notices/notices.store.ts nextToNotify',
      'payments/payments.store.ts firstSettleDay',
      'platform/jobs/due-rows.ts findDue',
      'platform/jobs/due-rows.ts findDueOfKinds',
      'platform/jobs/due-rows.ts nextDue',
      'sandbox/bank/mandates.store.ts nextAtBank',
      'sandbox/bank/simulator.store.ts findToPayOut',
      'students/rollover/rollover.store.ts findRunning',
      'webhooks/engine/queue.store.ts findReady',
      'webhooks/failure-mails/notices.store.ts findDueMails',
      'webhooks/failure-mails/notices.store.ts msUntilNextMail',
    ],
  },
  {
    why: 'Whether a month is over for all, whether anything is queued, and how far each account was read: plain reads, also of a school that is arriving.',
    reach: 'every',
    senders: [
      'payments/settlements/settlements.store.ts listReadThrough',
      'webhooks/delivery-log/deliveries.store.ts isOfEventBelow',
      'webhooks/delivery-log/deliveries.store.ts isWaitingBelow',
      'webhooks/engine/queue.store.ts readIfEmpty',
    ],
  },
  {
    why: 'Locks what is due of several institutes together (jobs/due-rows.ts).',
    reach: 'several, locked',
    senders: [
      'console/approvals/approvals.store.ts expireSome',
      'flex/plans/plans.store.ts lockPlans',
      'imports/imports.store.ts clearFinished',
      'imports/imports.store.ts deleteOld',
      'orders/orders.store.ts lockExpired',
      'payment-pages/pages.store.ts deleteUnpaid',
      'payments/disputes/disputes.store.ts takeToMail',
      'payments/notices/notices.store.ts lockReceipts',
      'banking/post-dated/post-dated.store.ts takeToRemind',
      'payments/notices/notices.store.ts takeReceived',
      'payments/notices/notices.store.ts takeRefunds',
      'sandbox/bank/mandates.store.ts lockDueDebits',
      'students/students.store.ts lockStudents',
      'webhooks/engine/queue.store.ts claim',
      'webhooks/subscriptions/subscriptions.store.ts lockHealth',
      'webhooks/failure-mails/notices.store.ts takeDueMails',
    ],
  },
  {
    why: 'Takes what is due of all institutes by one statement.',
    reach: 'every, locked',
    isWork: true,
    senders: ['platform/jobs/due-rows.ts updateDue'],
  },
  {
    why: 'For the operator, a lender, or the one person whose sandbox it is: they are not of one institute.',
    reach: 'every',
    senders: [
      'app/doctor/doctor.store.ts listStranded',
      'console/loans/loans.routes.ts answer',
      'console/operator/jobs.store.ts countDeadLetters',
      'console/operator/jobs.store.ts countLostMessages',
      'console/operator/jobs.store.ts listDeadLetters',
      'console/operator/jobs.store.ts readJobs',
      'loans/lenders/lenders.store.ts listLenders',
      'messages/messages.store.ts listEverybodys',
    ],
  },
  {
    why: 'What a bank, provider or lender reports names a row by an id of theirs or ours: by it the institute is found.',
    reach: 'every',
    senders: [
      'flex/mandates/mandates.store.ts findByProviderRef',
      'loans/lenders/lenders.store.ts findInstituteOf',
      'payments/credits/credits.store.ts findByProvider',
      'payments/settlements/settlements.store.ts findDebits',
      'providers/accounts/accounts.store.ts findInstituteOf',
      'providers/accounts/accounts.store.ts lockKey',
    ],
  },
  {
    why: 'What providers and lenders have paid out, and of whose accounts they are asked.',
    reach: 'every',
    isWork: true,
    senders: [
      'bharat-connect/biller.store.ts listPaidRefunds',
      'bharat-connect/biller.store.ts listPayOuts',
      'loans/loans.store.ts listMoved',
      'providers/accounts/accounts.store.ts listAllAccounts',
      'providers/settlement-accounts/settlement-accounts.store.ts listLinkedIds',
      'sandbox/bank/simulator.store.ts listPayOuts',
    ],
  },
  {
    why: 'Deletes what is past its time, whose it was does not matter.',
    reach: 'every, written',
    isWork: true,
    senders: [
      'imports/imports.store.ts cancelForgotten',
      'messages/messages.store.ts eraseExpiredSecrets',
      'platform/idempotency.ts purgeStoredAnswers',
      'portal/entry/entry.store.ts purgeOld',
      'portal/poster/child-tries.store.ts purgeOld',
      'portal/sign-in/sign-in.store.ts purgeOld',
    ],
  },
  {
    why: 'A channel that is away holds up the messages of all.',
    reach: 'every, written',
    isWork: true,
    senders: ['messages/messages.store.ts postponeDue'],
  },
  {
    why: 'An id says of itself what is meant.',
    reach: 'every, written',
    senders: ['messages/messages.store.ts eraseSecretsAbout'],
  },
  {
    why: 'A person signs out everywhere, at every school.',
    reach: 'every, written',
    senders: ['console/tokens/tokens.store.ts revokeAll'],
  },
]

const reaches = new Map(OVER_ALL.flatMap(({ reach, senders }) => senders.map(sender => [sender, reach])))

export function reachOf(sender: string): Reach {
  return reaches.get(sender) ?? 'one'
}

const workers = new Set(OVER_ALL.flatMap(({ isWork, senders }) => (isWork === true ? senders : [])))

/** What is wrong with a statement that looks for work over all institutes; null if nothing is. */
export function workProblem(sender: string, text: string): string | null {
  if (!workers.has(sender) || text.includes('from moving_schools')) return null
  return 'it takes work of schools that are on their way to another cell too: leave them out by isHere()'
}
