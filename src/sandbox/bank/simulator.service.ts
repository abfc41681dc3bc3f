import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  DISPUTE_FEE,
  type DisputeAct,
  bankMoves,
  FAILURES,
  feeOf,
  scriptOf,
  type BankAct,
  type BankPayment,
  actOnDispute,
  reportOfDispute,
  returnMessage,
  type BankDebit,
  type BankMandate,
  type DebitAct,
  type MandateAct,
} from './simulator.rules.ts'
import {
  CREDIT_MODE,
  type MandatePort,
  type Callback,
  type Provider,
  type PaymentOutcome,
  type PaymentReport,
  type SettlementItem,
  type SettlementReport,
  type Report,
  type TransferPort,
  type TransferRequest,
  type PaymentAtProvider,
  type StartedAtProvider,
  type StartRequest,
  type DisputeReport,
  type VirtualAccountPort,
} from '../../providers/port.ts'
import { forEachInstitute } from '../../platform/jobs/due-rows.ts'
import { dayAfter, startOfDay } from '../../platform/calendar.ts'
import { assertNever } from '../../platform/assert.ts'
import { forEachSettled } from '../../platform/concurrency.ts'
import { BursarError, conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import { paiseOf, type Paise } from '../../platform/money.ts'
import {
  decideDebit,
  decideDue,
  nextDueAtBank,
  type BankReport,
  actOnMandate,
  confirmDueMandates,
  findMandate,
  mandatePort,
} from './mandates.service.ts'
import * as splits from './splits.service.ts'
import * as store from './simulator.store.ts'
import { findBankPayment, lockBankPayment } from './simulator.store.ts'
import { creditAtBank, virtualAccountPort, type TransferToAccount } from './virtual-accounts.service.ts'

/** A payment by the reference that the payer knows. */
export type AtCounter = Pick<BankPayment, 'instituteId' | 'ref' | 'amountPaise'>

/** What the sandbox's bank offers beside the port: its counter, where pages and the sandbox API tell it what happens. */
export type SandboxBank = Provider & {
  readonly mandates: MandatePort
  readonly transfers: TransferPort
  readonly virtualAccounts: VirtualAccountPort
  /** Where the bank posts what it has to tell of its own accord. */
  tell: (callback: Callback) => Promise<void>
  /** A payment that has a page; debits and transfers have none. */
  find(instituteId: number, ref: string): Promise<BankPayment | null>
  /** Does what the payer did; answers the callbacks that the bank now sends, none to two. */
  act(where: AtCounter, act: BankAct): Promise<Callback[]>
  findMandate(instituteId: number, key: { ref: string } | { mandateId: string }): Promise<BankMandate | null>
  actOnMandate(where: Pick<BankMandate, 'instituteId' | 'ref'>, act: MandateAct): Promise<Callback[]>
  /** Ends a debit that is out, or takes back one that was debited. */
  decide(where: Pick<BankDebit, 'instituteId' | 'ref'>, act: DebitAct): Promise<Callback[]>
  /** A payer's bank opens or decides a dispute of a payment or debit. */
  dispute(where: Pick<BankPayment, 'instituteId' | 'ref'>, act: DisputeAct): Promise<Callback[]>
  /** Takes a transfer to an account number, or tells of it again if it has the UTR already; answers what it then tells. */
  credit(transfer: TransferToAccount): Promise<{ utr: string; amountPaise: Paise; callbacks: Callback[] }>
  /** Does what is due by itself, mandates to confirm and debits to decide, and tells; answers how many. */
  runDue(limit: number): Promise<number>
  nextDue(): Promise<Date | null>
  /** Pays out everything captured before a moment, of one institute or of all. */
  payOut(before: Date, instituteId?: number): Promise<number>
}

const ITEMS_PER_SLICE = 1_000

/** What lenders and payers transfer by themselves. */
const HAVE_NO_PAGE = ['loan', CREDIT_MODE]

export function createSandboxBank(ctx: Context, tell: SandboxBank['tell']): SandboxBank {
  const { db, clock } = ctx
  const key = ctx.vault.deriveKey('sandbox bank callbacks')
  const bank: SandboxBank = {
    name: 'sandbox',
    accepts: { methods: ['upi', 'card', 'netbanking'], minPaise: paiseOf(1), maxPaise: null },
    tell,
    start: request => startAtBank(ctx, bank, request),
    readCallback: async callback => readBankCallback(key, callback),
    async status({ instituteId, paymentId }) {
      const payment = await store.findBankPayment(db, instituteId, { paymentId })
      if (payment === null) return unknownReport(instituteId, paymentId)
      return reportOf(payment)
    },
    async refund({ instituteId, refundId, payment, amountPaise, parts = [] }) {
      await splits.insertSplits(db, { instituteId, kind: 'refund', ourId: refundId }, parts)
      const utr = `RFD${refundId.slice(-13).toUpperCase()}`
      const at = clock.now()
      const paymentRef = payment.providerRef
      const made = await store.refundAtBank(db, {
        instituteId,
        ref: newId('bank'),
        refundId,
        paymentRef,
        amountPaise,
        utr,
        at,
      })
      const outcome = { kind: 'processed' as const, utr: made.utr, processedAt: made.processedAt }
      return { about: 'refund', instituteId, refundId, providerRef: made.ref, outcome }
    },
    disputes: payment => listDisputesAtBank(ctx, payment),
    settlements: day => readPayOuts(ctx, day),
    mandates: mandatePort(ctx),
    transfers: { expect: request => takeTransfer(ctx, bank, request) },
    virtualAccounts: virtualAccountPort(ctx),
    splits: splits.splitPort(ctx),
    async find(instituteId, ref) {
      const payment = await store.findBankPayment(db, instituteId, { ref })
      return payment?.mandateRef === null && !HAVE_NO_PAGE.includes(payment.mode) ? payment : null
    },
    act: (where, act) => actAtCounter(ctx, key, where, act),
    findMandate: (instituteId, ref) => findMandate(ctx, instituteId, ref),
    actOnMandate: async (where, act) => [callbackFor(key, await actOnMandate(ctx, where, act))],
    decide: async (where, act) => callbacksFor(key, await decideDebit(ctx, where, act)),
    dispute: async (where, act) => [callbackFor(key, await disputeAtBank(ctx, where, act))],
    async credit(transfer) {
      const report = await creditAtBank(ctx, transfer)
      const { utr, amountPaise } = report
      return { utr, amountPaise, callbacks: callbacksFor(key, [{ report, amountPaise }]) }
    },
    async runDue(limit) {
      const now = clock.now()
      const confirmed = await confirmDueMandates(ctx, now, limit)
      const { count, told } = await decideDue(ctx, now, limit - confirmed.length)
      const callbacks = [...confirmed.map(report => callbackFor(key, report)), ...callbacksFor(key, told)]
      await forEachSettled(callbacks, callback => bank.tell(callback))
      return confirmed.length + count
    },
    nextDue: () => nextDueAtBank(ctx),
    payOut: async (before, only) => {
      const at = clock.now()
      const institutes = only === undefined ? await store.findToPayOut(db, before) : [{ instituteId: only }]
      return forEachInstitute(institutes, instituteId =>
        db.transaction(tx => store.payOut(tx, { before, at, instituteId })),
      )
    },
  }
  return bank
}

async function startAtBank(
  { db, publicUrl }: Context,
  bank: SandboxBank,
  request: StartRequest,
): Promise<StartedAtProvider> {
  const { instituteId, amountPaise, paymentId, parts = [] } = request
  await splits.insertSplits(db, { instituteId, kind: 'payment', ourId: paymentId }, parts)
  const ref = await store.openBankPayment(db, { ...request, ref: newId('bank') })
  if (scriptOf(amountPaise) === 'tells_first') {
    for (const callback of await bank.act({ instituteId, ref, amountPaise }, { outcome: 'success' }))
      await bank.tell(callback)
  }
  return { providerRef: ref, redirectUrl: `${publicUrl}/sandbox/bank/${instituteId}/${ref}` }
}

/** The sender has sent it, so it is there when we ask for it; the magic amounts say how it goes, as of every payment. */
async function takeTransfer(
  { db }: Context,
  bank: SandboxBank,
  request: TransferRequest,
): Promise<{ providerRef: string }> {
  const { instituteId, amountPaise } = request
  const ref = await store.openBankPayment(db, { ...request, ref: newId('bank'), returnUrl: '' })
  const known = await store.findBankPayment(db, instituteId, { ref })
  if (known?.state !== 'open') return { providerRef: ref }
  try {
    for (const callback of await bank.act({ instituteId, ref, amountPaise }, { outcome: 'success' }))
      await bank.tell(callback)
  } catch (error) {
    // Somebody else asked at this moment, and it came in for them.
    if (!(error instanceof BursarError && error.code === 'HUE00002')) throw error
  }
  return { providerRef: ref }
}

/** All that may become of it goes into one statement, which picks by the state it finds: nobody can come between. */
async function actAtCounter(
  { db, clock }: Context,
  key: string,
  where: AtCounter,
  act: BankAct,
): Promise<Callback[]> {
  const script = scriptOf(where.amountPaise)
  const moves = bankMoves(act.outcome, script).map(({ from, to }) => ({
    from,
    state: to,
    failureCode: to === 'failed' ? (act.failureCode ?? 'bank_declined') : null,
    transactionId: to === 'captured' ? `SBX${where.ref.slice(-13).toUpperCase()}` : null,
    capturedAt: to === 'captured' ? clock.now() : null,
  }))
  const isTold = script !== 'tells_nothing'
  const moved = await store.moveBankPayment(db, where, { mode: act.mode, moves, isTold })
  if (moved === null) {
    const current = await store.findBankPayment(db, where.instituteId, { ref: where.ref })
    if (current === null) throw notFound('This payment')
    throw conflict(`The bank has this payment as ${current.state} already.`)
  }
  const callback = callbackFor(key, reportOf(moved))
  if (!isTold) return []
  return script === 'tells_twice' ? [callback, callback] : [callback]
}

async function* readPayOuts({ db }: Context, day: string): AsyncIterable<SettlementReport> {
  for (const { instituteId, utr, settledAt, linkedId } of await store.listPayOuts(
    db,
    startOfDay(day),
    startOfDay(dayAfter(day)),
  )) {
    let after = ''
    for (;;) {
      const items = await store.listPayOutItems(db, instituteId, utr, { after, limit: ITEMS_PER_SLICE })
      if (items.length === 0) break
      after = items.at(-1)?.ref ?? ''
      yield {
        instituteId,
        utr,
        settledAt,
        // What is nothing here, and costs nothing, belongs to linked accounts.
        items: items.map(toItem).filter(item => item.amountPaise > 0 || item.feePaise > 0),
        ...(linkedId === null ? {} : { linkedId }),
      }
    }
  }
}

function toItem({
  kind,
  ourId,
  ref: providerRef,
  amountPaise,
  feeOnPaise,
  mode,
}: store.PayOutItem): SettlementItem {
  if (kind === 'dispute') {
    const dispute = { paymentId: ourId, providerRef }
    return { kind: 'refund', ourId: '', providerRef, amountPaise, feePaise: DISPUTE_FEE, dispute }
  }
  const feePaise = kind === 'payment' ? feeOf(mode, feeOnPaise) : paiseOf(0)
  // The bank knows a transfer by its UTR, and no id of ours.
  const isCredit = kind === 'payment' && mode === CREDIT_MODE
  return { kind, ourId: isCredit ? '' : ourId, providerRef, amountPaise, feePaise }
}

function outcomeOf(payment: BankPayment): PaymentOutcome {
  switch (payment.state) {
    case 'open':
      return { kind: 'open' }
    case 'pending':
      return { kind: 'pending' }
    case 'failed': {
      const code = payment.failureCode ?? 'bank_declined'
      return { kind: 'failed', code, message: FAILURES[code] ?? returnMessage(code) }
    }
    case 'captured':
      return {
        kind: 'captured',
        amountPaise: payment.amountPaise,
        mode: payment.mode,
        transactionId: payment.transactionId ?? payment.ref,
        providerPaymentId: payment.ref,
        capturedAt: payment.capturedAt ?? new Date(0),
      }
    default:
      return assertNever(payment.state)
  }
}

function reportOf(payment: BankPayment): PaymentReport {
  const { instituteId, paymentId, ref } = payment
  return { about: 'payment', instituteId, paymentId, providerRef: ref, outcome: outcomeOf(payment) }
}

/** We asked for it and the answer was lost before the bank had it: nothing has happened there. */
function unknownReport(instituteId: number, paymentId: string): PaymentReport {
  return { about: 'payment', instituteId, paymentId, providerRef: '', outcome: { kind: 'open' } }
}

/** The magic amounts that set how often a payment is reported apply to debits and transfers too. */
function callbacksFor(key: string, told: readonly BankReport[]): Callback[] {
  return told.flatMap(({ report, amountPaise }) => {
    const callback = callbackFor(key, report)
    const script = scriptOf(amountPaise)
    if (script === 'tells_nothing') return []
    return script === 'tells_twice' ? [callback, callback] : [callback]
  })
}

const SIGNATURE = 'x-sandbox-bank-signature'

/** What the sandbox's bank posts to us, signed. */
function callbackFor(key: string, report: Report): Callback {
  const rawBody = Buffer.from(JSON.stringify(report))
  return { headers: { [SIGNATURE]: sign(key, rawBody) }, rawBody }
}

/** Null when the signature is not the bank's. */
function readBankCallback(key: string, { headers, rawBody }: Callback): Report[] | null {
  const sent = Buffer.from(headers[SIGNATURE] ?? '')
  const expected = Buffer.from(sign(key, rawBody))
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return null
  return [readReport(rawBody)]
}

function sign(key: string, body: Buffer): string {
  return createHmac('sha256', key).update(body).digest('hex')
}

function readReport(rawBody: Buffer): Report {
  // Signed by ourselves a moment ago, so its shape is known; only moments have to become ones again.
  const report = JSON.parse(rawBody.toString('utf8')) as Report
  if (report.about === 'return') return { ...report, returnedAt: new Date(report.returnedAt) }
  if (report.about === 'credit') return { ...report, creditedAt: new Date(report.creditedAt) }
  if (report.about === 'dispute') {
    const { respondBy, at } = report
    return { ...report, respondBy: respondBy && new Date(respondBy), at: new Date(at) }
  }
  if (report.about !== 'payment' || report.outcome.kind !== 'captured') return report
  return { ...report, outcome: { ...report.outcome, capturedAt: new Date(report.outcome.capturedAt) } }
}

/** The payer's bank opens or decides a dispute of a payment or debit; answers what it then tells. */
async function disputeAtBank(
  { db, clock }: Context,
  { instituteId, ref }: Pick<BankPayment, 'instituteId' | 'ref'>,
  act: DisputeAct,
): Promise<DisputeReport> {
  return db.transaction(async tx => {
    const payment = await lockBankPayment(tx, instituteId, ref)
    if (payment === null) throw notFound('This payment')
    if (payment.mode === CREDIT_MODE) throw conflict('A bank transfer cannot be disputed.')
    const known = await store.listBankDisputes(tx, instituteId, ref)
    const dispute = actOnDispute(payment, known, act, { ref: newId('bank'), at: clock.now() })
    await store.putBankDispute(tx, dispute)
    return reportOfDispute(dispute, payment.paymentId)
  })
}

async function listDisputesAtBank(
  { db }: Pick<Context, 'db'>,
  { instituteId, paymentId }: PaymentAtProvider,
): Promise<DisputeReport[]> {
  const payment = await findBankPayment(db, instituteId, { paymentId })
  if (payment === null) return []
  const disputes = await store.listBankDisputes(db, instituteId, payment.ref)
  return disputes.map(dispute => reportOfDispute(dispute, paymentId))
}
