import { recordEvents, type NewEvent } from '../events/events.service.ts'
import type { Payment } from '../payments/payments.rules.ts'
import type { Callback } from '../providers/port.ts'
import { openTransfer, sendTransfer, transferProvider } from '../payments/debits/transfers.service.ts'
import { assert, assertNever } from '../platform/assert.ts'
import type { Transaction } from '../platform/db/database.ts'
import { badRequest } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { sumPaise } from '../platform/money.ts'
import { readStudentContexts, type StudentContext } from '../students/student-contexts.service.ts'
import { credEvent, disbursementBlock, emiBlock } from './loan-events.ts'
import { lenderOf, type LoanContext } from './context.ts'
import * as store from './loans.store.ts'
import type { LenderName, LoanNews, LoanReport } from './lender-port.ts'
import {
  assertMove,
  isOver,
  judge,
  lapsesAt,
  mayOvertake,
  nextCheck,
  type Application,
  type LoanFile,
  type LoanState,
} from './loans.rules.ts'
import { disbursementOrder, newTranche, writePaidTranche } from './payouts.ts'

/** Takes what a lender posts: believed only with its signature, applied once however often and in whatever order. */
export async function takeLenderCallback(
  cred: LoanContext,
  name: LenderName,
  callback: Callback,
): Promise<void> {
  const reports = await lenderOf(cred, name).readCallback(callback)
  if (reports === null) throw badRequest('The signature is missing or wrong.')
  for (const report of reports) {
    if (mayOvertake(report.news)) await askLender(cred, report)
    if ((await applyNews(cred, report)) === 'ahead') await askLender(cred, report)
  }
}

/** Hears everything that the lender has to tell of an application; what is known already changes nothing. */
export async function askLender(
  cred: LoanContext,
  { instituteId, applicationId }: Pick<LoanReport, 'instituteId' | 'applicationId'>,
): Promise<void> {
  const application = await store.findApplication(cred.db, { instituteId, applicationId })
  if (application === null) return
  const { lender, lenderRef } = application
  const reports = await lenderOf(cred, lender).status({ instituteId, applicationId, lenderRef })
  await applyAll(cred, reports)
}

/** In the lender's order: what is ahead even so, the lender has not told of yet, and the janitor asks again. */
export async function applyAll(cred: LoanContext, reports: readonly LoanReport[]): Promise<void> {
  for (const report of reports) await applyNews(cred, report)
}

type Sending = { payment: Payment; collectorCode: string; reference: string }

/** Applies one piece of news in one transaction with its event; a pay-out is then told to the bank that takes it in. */
async function applyNews(cred: LoanContext, report: LoanReport): Promise<'applied' | 'nothing' | 'ahead'> {
  const sendings: Sending[] = []
  const outcome = await cred.db.transaction(async tx => {
    sendings.length = 0
    const file = await store.lockFile(tx, report)
    if (file === null) return 'nothing'
    const verdict = judge(file, report.news)
    if (verdict !== 'apply') return verdict
    const { instituteId, studentId } = file.application
    const student = (await readStudentContexts(tx, [{ instituteId, studentId }])).get(studentId)
    assert(student !== undefined, `the application ${file.application.id} lost its student`)
    const lenderRef = file.application.lenderRef ?? report.lenderRef
    const scene = { file: { ...file, application: { ...file.application, lenderRef } }, student }
    const sending = await perform(cred, tx, scene, report.news)
    if (sending !== null) sendings.push(sending)
    return 'applied'
  })
  // If we die before this, or the bank is away, the janitor sends it.
  for (const { payment, ...how } of sendings) await sendTransfer(cred, payment, how)
  return outcome
}

type Scene = { file: LoanFile; student: StudentContext }

async function perform(
  cred: LoanContext,
  tx: Transaction,
  scene: Scene,
  news: LoanNews,
): Promise<Sending | null> {
  const { at } = news
  switch (news.kind) {
    case 'filled':
      await move(cred, tx, scene, { to: 'filled', at, change: { filledAt: at } })
      return null
    case 'approved': {
      const change = { approvedAt: at, amountPaise: news.amountPaise, expiresAt: lapsesAt(at) }
      await move(cred, tx, scene, { to: 'final_approved', at, change })
      return null
    }
    case 'signed':
      await sign(cred, tx, scene, news)
      return null
    case 'rejected':
      await move(cred, tx, scene, { to: 'rejected', at, change: { reason: news.reason } })
      return null
    case 'canceled':
    case 'expired':
      await move(cred, tx, scene, { to: news.kind, at, change: {} })
      return null
    case 'paid_out':
      return takePayOut(cred, tx, scene, news)
    case 'emi_debited': {
      const { ref, dueOn, amountPaise } = news.emi
      const emi = { id: newId('pay'), lenderRef: ref, dueOn, paidAt: at, amountPaise }
      await store.insertEmi(tx, keyOf(scene), emi)
      await tell(cred, tx, scene, facts =>
        credEvent('cred.emi.debited', scene.file.application, { ...facts, at, payment: emiBlock(emi) }),
      )
      return null
    }
    default:
      return assertNever(news)
  }
}

const CODES = {
  filled: 'cred.loan.application_filled',
  final_approved: 'cred.loan.final_approved',
  rejected: 'cred.loan.rejected',
  canceled: 'cred.loan.canceled',
  expired: 'cred.loan.application_expired',
} as const

async function move(
  cred: LoanContext,
  tx: Transaction,
  scene: Scene,
  { to, at, change }: { to: keyof typeof CODES; at: Date; change: Partial<Application> },
): Promise<void> {
  const moved = moveTo(cred, scene.file.application, to, {
    ...change,
    ...(isOver(to) ? { endedAt: at } : {}),
  })
  await store.writeApplication(tx, moved)
  await tell(cred, tx, scene, facts => credEvent(CODES[to], moved, { ...facts, at }))
}

/** As it is in its next state, and when the lender is asked about it then. */
export function moveTo(
  { clock }: Pick<LoanContext, 'clock'>,
  application: Application,
  to: LoanState,
  change: Partial<Application>,
): Application {
  assertMove(application.state, to)
  const moved: Application = { ...application, ...change, state: to, checks: 0 }
  return { ...moved, nextCheckAt: nextCheck(moved, clock.now()), ending: isOver(to) ? null : moved.ending }
}

/** The loan is taken: the agreement says what comes when, and how much in all. */
async function sign(
  cred: LoanContext,
  tx: Transaction,
  scene: Scene,
  { at, tranches }: Extract<LoanNews, { kind: 'signed' }>,
): Promise<void> {
  const planned = tranches
    .toSorted((one, other) => (one.plannedOn < other.plannedOn ? -1 : 1))
    .map(({ ref, plannedOn, amountPaise }, index) =>
      newTranche({ number: index + 1, lenderRef: ref, plannedOn, amountPaise }),
    )
  const amountPaise = sumPaise(planned.map(tranche => tranche.amountPaise))
  const signed = moveTo(cred, scene.file.application, 'agreement_signed', {
    signedAt: at,
    amountPaise,
    ending: null,
  })
  await store.writeApplication(tx, signed)
  for (const tranche of planned) await store.writeTranche(tx, keyOf(scene), tranche)
  await tell(cred, tx, scene, facts =>
    credEvent('cred.loan.agreement_signed', signed, {
      ...facts,
      at,
      disbursements: planned.map(disbursementBlock),
    }),
  )
}

/** The lender has sent money: it gets an order and a payment, which the bank will report as it does every other. */
async function takePayOut(
  cred: LoanContext,
  tx: Transaction,
  scene: Scene,
  { at, payOut }: Extract<LoanNews, { kind: 'paid_out' }>,
): Promise<Sending> {
  const provider = transferProvider(cred)
  assert(provider !== null, 'a lender paid out and nobody takes transfers in')
  const { file, student } = scene
  const { instituteId, studentId, collectorCode } = file.application
  const { number, amountPaise, reference } = payOut
  const tranche = await writePaidTranche(tx, file, payOut)
  const now = cred.clock.now()
  const order = disbursementOrder(student, { collectorCode, amountPaise, at: now })
  const payment = await openTransfer(tx, { instituteId, studentId, order, provider, at: now })
  const record = { number, trancheId: tranche.id, orderId: order.id, paymentId: payment.id, amountPaise }
  await store.insertPayOut(tx, keyOf(scene), { ...record, reference, paidOutAt: at })
  const application = { ...file.application, checks: 0 }
  await store.writeApplication(tx, { ...application, nextCheckAt: nextCheck(application, now) })
  return { payment, collectorCode, reference }
}

function keyOf({ file: { application } }: Scene): store.LoanKey {
  return { instituteId: application.instituteId, applicationId: application.id }
}

async function tell(
  cred: LoanContext,
  tx: Transaction,
  { file, student }: Scene,
  eventOf: (facts: { student: StudentContext; lenderTitle: string }) => NewEvent,
): Promise<void> {
  const lenderTitle = lenderOf(cred, file.application.lender).title
  await recordEvents(tx, [eventOf({ student, lenderTitle })])
}
