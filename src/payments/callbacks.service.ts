import type { Forward } from '../institutes/forward.service.ts'
import { assertNever } from '../platform/assert.ts'
import { badRequest, BursarError } from '../platform/errors.ts'
import { isIdShaped } from '../platform/ids.ts'
import { ZERO, type Paise } from '../platform/money.ts'
import type { Account } from '../providers/accounts/registry.service.ts'
import { AnswerError } from '../providers/http.ts'
import type { MandateChange, Callback, Report } from '../providers/port.ts'
import type { ReportOutcome, PaymentContext } from './context.ts'
import { applyDispute } from './disputes/disputes.service.ts'
import { applyReport } from './payments.service.ts'
import { listAtProvider } from './payments.store.ts'
import { applyRefundReport } from './refunds/refunds.service.ts'
import { findAccountOf } from './refunds/refunds.store.ts'
import { applyReturn } from './refunds/returns.service.ts'
import { takeOverRefund } from './refunds/made-refunds.service.ts'
import { findDebits, insertExceptions } from './settlements/settlements.store.ts'

/** Takes what a provider posts: believed only with the account's signature, applied once however often it comes. */
export async function takeCallback(
  ctx: PaymentContext,
  account: Account,
  callback: Callback,
  forward?: Forward,
): Promise<void> {
  const reports = await ctx.accounts.readCallback(account, callback).catch((error: unknown) => {
    // Its sender would repeat it for a day for the sake of our error, and then fall silent.
    if (!(error instanceof AnswerError)) throw error
    throw badRequest(`This callback cannot be read: ${error.message}.`)
  })
  if (reports === null) throw badRequest('The signature is missing or wrong.')
  await ctx.accounts.noteHeard(account)
  if (account.instituteId === null && forward !== undefined && (await isForwarded(reports, forward))) return
  for (const told of reports) {
    const report = await withOurIds(ctx, account, told)
    if (report === null) continue
    const applied = await applyThrough(ctx, account, report)
    if (isException(report, applied)) await recordException(ctx, account, report, applied)
  }
}

/**
 * An account of the installation is one of all schools of this cell, and of those that have left. A cell without that
 * account refuses, and then the money is an exception here: the provider would repeat it, and in the end stop
 * reporting for all schools.
 */
async function isForwarded(reports: readonly Report[], forward: Forward): Promise<boolean> {
  const ids = new Set(reports.flatMap(report => ('instituteId' in report ? [report.instituteId] : [])))
  for (const value of ids) {
    try {
      if (await forward({ by: 'id', value })) return true
    } catch (error) {
      if (!(error instanceof BursarError) || error.httpStatus >= 500) throw error
    }
  }
  return false
}

/** A dispute may name its debit by the provider's number alone; null when no debit of the account has it. */
async function withOurIds(ctx: PaymentContext, account: Account, report: Report): Promise<Report | null> {
  if (report.about !== 'dispute') return report
  const { transactionId, ...dispute } = report
  if (transactionId === undefined) return report
  const debit = (await findDebits(ctx.db, account, [transactionId])).get(transactionId)
  return debit === undefined ? null : { ...dispute, instituteId: debit.instituteId, paymentId: debit.id }
}

/** The signature tells nothing but whose account it is: what went through another is not this one's to report. */
async function applyThrough(ctx: PaymentContext, account: Account, report: Report): Promise<ReportOutcome> {
  if (report.about === 'mandate_change') return ctx.onMandate(report, account.id)
  // People with access to the provider's dashboard may write anything where we write our ids.
  if (!isIdShaped(ourIdOf(report))) return 'unknown'
  if (account.instituteId !== null && account.instituteId !== report.instituteId) return 'foreign'
  if (report.about === 'mandate') return ctx.onMandate(report, account.id)
  if (report.about === 'credit') return ctx.onCredit(report, account.id)
  if (report.about === 'payment') {
    const applied = await applyReport(ctx, report, { through: account.id })
    return applied === 'unknown' || applied === 'foreign' ? applied : 'applied'
  }
  // A person whose payment is for several orders is shown the first.
  const [part] =
    report.about === 'refund' ? [] : await listAtProvider(ctx.db, report.instituteId, report.paymentId)
  const accountId =
    report.about === 'refund'
      ? await findAccountOf(ctx.db, report.instituteId, report.refundId)
      : (part?.accountId ?? null)
  if (accountId === null) return 'unknown'
  if (accountId !== account.id) return 'foreign'
  switch (report.about) {
    case 'refund':
      await applyRefundReport(ctx, report)
      break
    case 'return':
      await applyReturn(ctx, report)
      break
    case 'dispute':
      await applyDispute(ctx, account, report)
      break
    case 'unasked_refund':
      await takeOverRefund(ctx, account, report)
      break
    default:
      assertNever(report)
  }
  return 'applied'
}

function ourIdOf(report: Exclude<Report, MandateChange>): string {
  if (report.about === 'mandate') return report.mandateId
  if (report.about === 'credit') return report.accountRef
  return report.about === 'refund' ? report.refundId : report.paymentId
}

/** Money that we know nothing of, and everything about what is not the account's own, is for a person to look at. */
function isException(report: Report, applied: ReportOutcome): boolean {
  return applied === 'foreign' || (applied === 'unknown' && amountOf(report) !== null)
}

/** What has come in by it; null where it tells of no money. */
function amountOf(report: Report): Paise | null {
  if (report.about === 'credit') return report.amountPaise
  return report.about === 'payment' && report.outcome.kind === 'captured' ? report.outcome.amountPaise : null
}

async function recordException(
  ctx: PaymentContext,
  { id: accountId, instituteId, provider }: Account,
  report: Report,
  applied: ReportOutcome,
): Promise<void> {
  await insertExceptions(ctx.db, [
    {
      instituteId: instituteId ?? 0,
      provider,
      accountId,
      utr: '',
      providerRef: 'providerRef' in report ? report.providerRef : report.paymentId,
      problem:
        applied === 'unknown'
          ? 'captured, and unknown here'
          : `${report.about} reported through an account that it did not go through`,
      reportedPaise: amountOf(report) ?? ZERO,
      knownPaise: null,
      noticedAt: ctx.clock.now(),
    },
  ])
}
