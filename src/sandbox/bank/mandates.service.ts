import { conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import {
  mandateMove,
  mandateOutcome,
  type BankMandate,
  type MandateAct,
  debitDecidedAt,
  judgeDebit,
  obeyDebit,
  returnMessage,
  type BankDebit,
  type DebitAct,
  type DebitVerdict,
} from './simulator.rules.ts'
import * as store from './mandates.store.ts'
import {
  type MandateAtProvider,
  type MandatePort,
  type MandateReport,
  returnIdOf,
  type DebitRequest,
  type ReturnReport,
  type PaymentAtProvider,
  type Report,
} from '../../providers/port.ts'
import { readHolidays } from '../../payments/holidays.service.ts'
import { assertNever } from '../../platform/assert.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { takeDue } from '../../platform/jobs/due-rows.ts'
import { addAll } from '../../platform/lists.ts'

/** Mandates at the sandbox's bank. */
export function mandatePort(ctx: Context): MandatePort {
  const { db } = ctx
  return {
    rails: ['enach', 'upi_autopay'],
    async register(request) {
      const { instituteId } = request
      const ref = await store.openMandate(db, { ...request, ref: newId('bank') })
      return {
        providerRef: ref,
        redirectUrl: `${ctx.publicUrl}/sandbox/bank/mandates/${instituteId}/${ref}`,
      }
    },
    async status({ instituteId, mandateId }) {
      const mandate = await store.findMandate(db, instituteId, { mandateId })
      return mandate === null ? unheardOf({ instituteId, mandateId }) : mandateReportOf(mandate)
    },
    present: request => presentDebit(ctx, request),
    returned: payment => returnReportOf(ctx, payment),
    cancel: mandate => store.cancelMandate(db, mandate),
  }
}

/** What the payer does at the bank; answers what the bank then tells. */
export async function actOnMandate(
  { db, clock }: Context,
  { instituteId, ref }: Pick<BankMandate, 'instituteId' | 'ref'>,
  act: MandateAct,
): Promise<MandateReport> {
  return db.transaction(async tx => {
    const mandate = await store.lockMandate(tx, instituteId, ref)
    if (mandate === null) throw notFound('This mandate')
    const move = mandateMove(mandate, act, { now: clock.now(), holidays: await readHolidays(tx) })
    if (move === null) throw conflict(`The bank has this mandate as ${mandate.state} already.`)
    await store.moveMandate(tx, mandate, move)
    return mandateReportOf({ ...mandate, ...move })
  })
}

export async function confirmDueMandates(
  { db }: Context,
  now: Date,
  limit: number,
): Promise<MandateReport[]> {
  return (await store.confirmMandates(db, now, limit)).map(mandateReportOf)
}

export async function findMandate(
  { db }: Context,
  instituteId: number,
  key: { ref: string } | { mandateId: string },
): Promise<BankMandate | null> {
  return store.findMandate(db, instituteId, key)
}

function mandateReportOf(mandate: BankMandate): MandateReport {
  const { instituteId, mandateId, ref } = mandate
  return { about: 'mandate', instituteId, mandateId, providerRef: ref, outcome: mandateOutcome(mandate) }
}

function unheardOf({ instituteId, mandateId }: Omit<MandateAtProvider, 'providerRef'>): MandateReport {
  return { about: 'mandate', instituteId, mandateId, providerRef: '', outcome: { kind: 'open' } }
}

/** Debits under mandates at the sandbox's bank. It takes every one and says later what became of it, as banks do. */
async function presentDebit({ db, clock }: Context, request: DebitRequest): Promise<{ providerRef: string }> {
  const decideAt = debitDecidedAt(request.rail, clock.now(), await readHolidays(db))
  const providerRef = await store.presentAtBank(db, {
    ...request,
    ref: newId('bank'),
    mode: request.rail,
    decideAt,
  })
  return { providerRef }
}

/** Decides about everything that is due, each as of its own moment; answers what the bank then tells. */
export async function decideDue(
  { db }: Context,
  now: Date,
  limit: number,
): Promise<{ count: number; told: BankReport[] }> {
  const told: BankReport[] = []
  const count = await takeDue(db, await store.findDueDebits(db, now, limit), async (tx, keys) => {
    const due = await store.lockDueDebits(tx, now, keys)
    const decided = due.flatMap(debit => {
      const at = debit.decideAt ?? now
      const verdict = judgeDebit(debit, at)
      return verdict === null ? [] : [{ debit, verdict, at }]
    })
    const written = await write(tx, decided)
    tx.afterCommit(() => addAll(told, written))
    return due.length
  })
  return { count, told }
}

/** Decides about one as somebody at the counter wants it. */
export async function decideDebit(
  { db, clock }: Context,
  { instituteId, ref }: Pick<BankDebit, 'instituteId' | 'ref'>,
  act: DebitAct,
): Promise<BankReport[]> {
  return db.transaction(async tx => {
    const debit = await store.lockDebit(tx, instituteId, ref)
    if (debit === null) throw notFound('This debit')
    const at = clock.now()
    const verdict = obeyDebit(debit, act, at)
    if (verdict === null) {
      const state = debit.isReturned ? 'returned' : debit.state
      throw conflict(`The bank has this debit as ${state} already.`)
    }
    return write(tx, [{ debit, verdict, at }])
  })
}

/** A report, and by how much money it is about: magic amounts decide how often it is told. */
export type BankReport = { report: Report; amountPaise: BankDebit['amountPaise'] }

type DecidedDebit = { debit: BankDebit; verdict: DebitVerdict; at: Date }

async function write(tx: Transaction, decided: readonly DecidedDebit[]): Promise<BankReport[]> {
  if (decided.length === 0) return []
  await store.moveDebits(tx, decided.map(moveOf))
  const returns = decided.filter(({ verdict }) => verdict.kind === 'returned')
  if (returns.length > 0) {
    await store.insertReturns(
      tx,
      returns.map(({ debit, at }) => ({
        instituteId: debit.instituteId,
        ref: newId('bank'),
        refundId: returnIdOf(debit.paymentId),
        paymentRef: debit.ref,
        amountPaise: debit.amountPaise,
        at,
      })),
    )
  }
  return decided.flatMap(one => {
    const report = debitReportOf(one)
    return report === null ? [] : [{ report, amountPaise: one.debit.amountPaise }]
  })
}

function moveOf({ debit, verdict, at }: DecidedDebit): store.DebitMove {
  const { instituteId, ref, hasWaited } = debit
  const move = {
    instituteId,
    ref,
    hasWaited,
    decideAt: null,
    scriptedCode: null,
    failureCode: null,
    transactionId: null,
    capturedAt: null,
    returnedCode: null,
  }
  switch (verdict.kind) {
    case 'failed':
      return { ...move, state: 'failed', failureCode: verdict.code }
    case 'wait':
      return { ...move, state: 'pending', hasWaited: true, decideAt: verdict.until }
    case 'captured': {
      const { returns } = verdict
      const decideAt = returns?.at ?? null
      const scriptedCode = returns?.code ?? null
      return {
        ...move,
        state: 'captured',
        capturedAt: at,
        transactionId: transactionOf(ref),
        decideAt,
        scriptedCode,
      }
    }
    case 'returned':
      return { ...move, state: 'captured', returnedCode: verdict.code }
    default:
      return assertNever(verdict)
  }
}

function debitReportOf({ debit, verdict, at }: DecidedDebit): Report | null {
  const { instituteId, paymentId, ref, amountPaise, mode } = debit
  const about = { about: 'payment' as const, instituteId, paymentId, providerRef: ref }
  switch (verdict.kind) {
    case 'failed': {
      const { code } = verdict
      return { ...about, outcome: { kind: 'failed', code, message: returnMessage(code) } }
    }
    case 'wait':
      return null
    case 'captured':
      return {
        ...about,
        outcome: {
          kind: 'captured',
          amountPaise,
          mode,
          transactionId: transactionOf(ref),
          providerPaymentId: ref,
          capturedAt: at,
        },
      }
    case 'returned':
      return returnReport(debit, verdict.code, at)
    default:
      return assertNever(verdict)
  }
}

async function returnReportOf(
  { db }: Context,
  { instituteId, paymentId }: PaymentAtProvider,
): Promise<ReturnReport | null> {
  const found = await store.findReturn(db, { instituteId, paymentId, refundId: returnIdOf(paymentId) })
  if (found === null) return null
  return returnReport(
    { instituteId, paymentId, amountPaise: found.amountPaise },
    found.code,
    found.returnedAt,
  )
}

function returnReport(
  { instituteId, paymentId, amountPaise }: Pick<BankDebit, 'instituteId' | 'paymentId' | 'amountPaise'>,
  code: string,
  returnedAt: Date,
): ReturnReport {
  const message = returnMessage(code)
  return { about: 'return', instituteId, paymentId, amountPaise, code, message, returnedAt }
}

function transactionOf(ref: string): string {
  return `SBX${ref.slice(-13).toUpperCase()}`
}

export async function nextDueAtBank({ db }: Context): Promise<Date | null> {
  return store.nextAtBank(db)
}
