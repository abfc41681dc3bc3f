import { paiseOf, type Paise, formatRupees } from '../../platform/money.ts'
import { badField, conflict } from '../../platform/errors.ts'
import {
  DAY_MS,
  dayOf,
  startOfDay,
  addWorkingDays,
  isWorkingDay,
  type Holidays,
} from '../../platform/calendar.ts'
import type { DisputeReport, MandateOutcome, Rail } from '../../providers/port.ts'

/**
 * The sandbox's bank. It keeps its own books and does what its pages, the sandbox API or a magic amount tell it. The
 * last two digits of an amount say how a payment that is told to succeed really goes, for tests that cannot click.
 */
export type BankState = 'open' | 'pending' | 'captured' | 'failed'
type BankOutcome = 'success' | 'failure' | 'pending'
type BankScript = 'plain' | 'fails' | 'stays_pending' | 'tells_twice' | 'tells_nothing' | 'tells_first'

const MAGIC: Record<number, BankScript> = {
  91: 'fails',
  92: 'stays_pending',
  93: 'tells_twice',
  94: 'tells_nothing',
  95: 'tells_first',
}

export function scriptOf(amount: Paise): BankScript {
  return MAGIC[amount % 100] ?? 'plain'
}

/** What the bank makes of the payer's word, or null when it is too late for it. */
function bankMove(state: BankState, outcome: BankOutcome, script: BankScript): BankState | null {
  if (state === 'captured' || state === 'failed') return null
  if (outcome === 'failure' || (outcome === 'success' && script === 'fails')) return 'failed'
  // Once pending, the bank's own later word decides, whatever the magic amount said first.
  if (outcome === 'success') return script === 'stays_pending' && state === 'open' ? 'pending' : 'captured'
  return state === 'open' ? 'pending' : null
}

const BANK_STATES: readonly BankState[] = ['open', 'pending', 'captured', 'failed']

/** The same as a table, for the bank that does not look before it moves: from each state that can move to the next. */
export function bankMoves(outcome: BankOutcome, script: BankScript): { from: BankState; to: BankState }[] {
  return BANK_STATES.flatMap(from => {
    const to = bankMove(from, outcome, script)
    return to === null ? [] : [{ from, to }]
  })
}

/** UPI and debits under mandates are free, net banking has a flat fee, cards cost one per cent rounded to the paisa. */
export function feeOf(mode: string, amount: Paise): Paise {
  if (mode === 'card') return paiseOf(Math.round(amount / 100))
  return paiseOf(mode === 'netbanking' ? Math.min(1_500, amount) : 0)
}

export const FAILURES: Record<string, string> = {
  payer_cancelled: 'The payment was cancelled before it was completed.',
  insufficient_funds: 'The account did not have enough money.',
  bank_declined: 'The bank declined the payment.',
}

/** A payment in the bank's own books. */
export type BankPayment = {
  instituteId: number
  ref: string
  paymentId: string
  collectorCode: string
  amountPaise: Paise
  state: BankState
  mode: string
  failureCode: string | null
  transactionId: string | null
  returnUrl: string
  /** Set for a debit under a mandate: the payer has nothing to do. */
  mandateRef: string | null
  capturedAt: Date | null
}

/** What the payer does at the bank. */
export type BankAct = { outcome: BankOutcome; mode?: string | undefined; failureCode?: string | undefined }

/** A dispute in the bank's own books. */
export type BankDispute = {
  instituteId: number
  ref: string
  paymentRef: string
  amountPaise: Paise
  state: 'open' | 'won' | 'lost'
  reasonCode: string
  respondBy: Date
  openedAt: Date
  closedAt: Date | null
}

/** What the payer's bank does. The amount and the reason are of one that is opened. */
export type DisputeAct = {
  outcome: BankDispute['state']
  amountPaise: Paise | null
  reasonCode: string | null
}

/** What the bank keeps of a pay-out for a dispute that was lost: ₹100 and the tax on it. */
export const DISPUTE_FEE = paiseOf(118_00)

const ANSWER_WITHIN_MS = 7 * DAY_MS

/** The dispute as it is afterwards. One that is not open at the bank can be decided at once: some are told only then. */
export function actOnDispute(
  payment: Pick<BankPayment, 'instituteId' | 'ref' | 'state' | 'amountPaise'>,
  known: readonly BankDispute[],
  { outcome, amountPaise, reasonCode }: DisputeAct,
  made: { ref: string; at: Date },
): BankDispute {
  if (payment.state !== 'captured') throw conflict('Only a payment that was captured can be disputed.')
  const open = known.find(({ state }) => state === 'open')
  if (open !== undefined && outcome === 'open') throw conflict('The payer disputes this payment already.')
  if (open === undefined && known.length > 0 && outcome !== 'open')
    throw conflict('The bank has decided its dispute already.')
  const amount = amountPaise ?? payment.amountPaise
  if (amount > payment.amountPaise)
    throw badField('amount', `must be at most ${formatRupees(payment.amountPaise)}`)
  const { ref, at } = made
  const dispute = open ?? {
    instituteId: payment.instituteId,
    ref,
    paymentRef: payment.ref,
    amountPaise: amount,
    state: 'open',
    reasonCode: reasonCode ?? 'chargeback',
    respondBy: new Date(at.getTime() + ANSWER_WITHIN_MS),
    openedAt: at,
    closedAt: null,
  }
  return outcome === 'open' ? dispute : { ...dispute, state: outcome, closedAt: at }
}

export function reportOfDispute(dispute: BankDispute, paymentId: string): DisputeReport {
  const { instituteId, ref, state, amountPaise, reasonCode, respondBy, openedAt, closedAt } = dispute
  return {
    about: 'dispute',
    instituteId,
    paymentId,
    providerRef: ref,
    state,
    amountPaise,
    deductedPaise: state === 'lost' ? amountPaise : paiseOf(0),
    reasonCode,
    reason: 'The payer does not know this payment.',
    phase: 'chargeback',
    respondBy,
    at: closedAt ?? openedAt,
  }
}

/** Mandates at the sandbox's bank, and what it makes of debits under them. */
export type BankMandateState = 'open' | 'authorised' | 'active' | 'rejected' | 'cancelled'

export type BankMandate = {
  instituteId: number
  ref: string
  mandateId: string
  rail: Rail
  state: BankMandateState
  capPaise: Paise
  startOn: string
  endOn: string
  description: string
  umrn: string | null
  upiReference: string | null
  failureCode: string | null
  /** The payer paused it: debits come back as if the bank could not process them. */
  isPaused: boolean
  returnUrl: string
}

/** What the payer does; `approve_in_vain` is a yes that the destination bank refuses later. */
export type MandateAct =
  | ('approve' | 'approve_in_vain' | 'decline')
  /** Acts on a mandate that was authorised. */
  | ('revoke' | 'pause' | 'resume' | 'expire')

const TEN_IN_THE_MORNING_MS = 10 * 3_600_000
const SIX_IN_THE_EVENING_MS = 18 * 3_600_000
const UPI_DECIDES_AFTER_MS = 5 * 60_000

export type MandateMove = Pick<
  BankMandate,
  'state' | 'umrn' | 'upiReference' | 'failureCode' | 'isPaused'
> & {
  confirmAt: Date | null
}

/** What the bank makes of the payer's word, or null when it is too late or too early for it. */
export function mandateMove(
  mandate: BankMandate,
  act: MandateAct,
  { now, holidays }: { now: Date; holidays: Holidays },
): MandateMove | null {
  const { rail, state } = mandate
  const isUpi = rail === 'upi_autopay'
  const stays = { ...pickMove(mandate), confirmAt: null }
  if (act === 'pause' || act === 'resume')
    return state === 'active' && mandate.isPaused === (act === 'resume')
      ? { ...stays, isPaused: act === 'pause' }
      : null
  if (act === 'revoke' || act === 'expire') {
    if (state !== 'authorised' && state !== 'active') return null
    const failureCode = act === 'expire' ? EXPIRED : isUpi ? 'QA' : '29'
    return { ...stays, state: 'cancelled', failureCode }
  }
  if (state !== 'open') return null
  if (act === 'decline' || (act === 'approve_in_vain' && isUpi))
    return { ...stays, state: 'rejected', failureCode: 'payer_declined' }
  const own = mandate.ref.slice(-16).toUpperCase()
  // UPI asks the payer's bank on the spot; an eNACH mandate goes to it by file and is answered on a later day.
  if (isUpi) return { ...stays, state: 'active', upiReference: `${own}@sandbox`, failureCode: null }
  return {
    ...stays,
    state: 'authorised',
    umrn: `SBXB${own}`,
    failureCode: act === 'approve' ? null : 'bank_refused',
    confirmAt: momentOf(addWorkingDays(dayOf(now), 1, holidays), TEN_IN_THE_MORNING_MS),
  }
}

const EXPIRED = 'expired'

function pickMove({ state, umrn, upiReference, failureCode, isPaused }: BankMandate) {
  return { state, umrn, upiReference, failureCode, isPaused }
}

const MANDATE_ENDS: Record<string, string> = {
  payer_declined: 'The payer declined the mandate.',
  bank_refused: "The payer's bank refused the mandate.",
  29: 'The payer withdrew the mandate at the bank.',
  QA: 'The payer withdrew the mandate at the bank.',
  merchant_cancelled: 'The mandate was cancelled as asked.',
}

export function mandateOutcome(mandate: BankMandate): MandateOutcome {
  const { state, failureCode } = mandate
  const references = {
    ...(mandate.umrn === null ? {} : { umrn: mandate.umrn }),
    ...(mandate.upiReference === null ? {} : { upiReference: mandate.upiReference }),
  }
  if (state === 'open') return { kind: state }
  if (state === 'authorised') return { kind: state, ...references }
  // Only UPI apps can pause; a bank that stops an e-mandate for a while tells nobody.
  const paused = mandate.rail === 'upi_autopay' ? { isPausedByPayer: mandate.isPaused } : {}
  if (state === 'active') return { kind: state, ...references, ...paused }
  if (failureCode === EXPIRED) return { kind: 'expired' }
  const code = failureCode ?? 'bank_refused'
  return { kind: state, code, message: MANDATE_ENDS[code] ?? 'The mandate has ended.' }
}

/** A debit in the bank's books, with what it knows of the mandate: nothing if there is none of that name. */
export type BankDebit = {
  instituteId: number
  ref: string
  paymentId: string
  amountPaise: Paise
  mode: Rail
  state: BankState
  decideAt: Date | null
  scriptedCode: string | null
  hasWaited: boolean
  isReturned: boolean
  mandateState: BankMandateState | null
  isPaused: boolean | null
  capPaise: Paise | null
  startOn: string | null
  endOn: string | null
}

/** UPI answers in minutes; eNACH on the evening of the day, or of the next working one when that is past. */
export function debitDecidedAt(rail: Rail, now: Date, holidays: Holidays): Date {
  if (rail === 'upi_autopay') return new Date(now.getTime() + UPI_DECIDES_AFTER_MS)
  const today = dayOf(now)
  const evening = momentOf(today, SIX_IN_THE_EVENING_MS)
  if (now < evening && isWorkingDay(today, holidays)) return evening
  return momentOf(addWorkingDays(today, 1, holidays), SIX_IN_THE_EVENING_MS)
}

type Code = Record<Rail, string>
const SHORT: Code = { enach: '04', upi_autopay: 'Z9' }
const BANK_AWAY: Code = { enach: '59', upi_autopay: 'U30' }
const NO_MANDATE: Code = { enach: '08', upi_autopay: 'QA' }
const ABOVE_CAP: Code = { enach: '15', upi_autopay: 'U54' }

const MAGIC_RETURNS: Record<number, Code> = { 81: SHORT, 82: BANK_AWAY, 83: NO_MANDATE }
const UNDECIDED = '98'
const MAGIC_WAIT = 84
const MAGIC_LATE_RETURN = 85
const WAITS_MS = 2 * DAY_MS
const RETURNS_AFTER_MS = 3 * DAY_MS

/** What somebody at the counter wants of a debit. */
export type DebitAct = { kind: 'debited' } | { kind: 'bounced'; code?: string | undefined }

export type DebitVerdict =
  | { kind: 'failed'; code: string }
  | { kind: 'wait'; until: Date }
  | { kind: 'captured'; returns: { at: Date; code: string } | null }
  | { kind: 'returned'; code: string }

/** What the bank makes of a debit whose moment has come; null when it has ended. */
export function judgeDebit(debit: BankDebit, at: Date): DebitVerdict | null {
  const { state, mode, amountPaise, scriptedCode } = debit
  if (state === 'captured') return { kind: 'returned', code: scriptedCode ?? SHORT[mode] }
  if (state !== 'pending') return null
  if (!isCovered(debit, dayOf(at))) return { kind: 'failed', code: NO_MANDATE[mode] }
  if (debit.capPaise !== null && amountPaise > debit.capPaise)
    return { kind: 'failed', code: ABOVE_CAP[mode] }
  if (debit.isPaused === true) return { kind: 'failed', code: BANK_AWAY[mode] }
  if (scriptedCode !== null) return returnedWith(scriptedCode, at)
  const magic = amountPaise % 100
  const code = MAGIC_RETURNS[magic]
  if (code !== undefined) return { kind: 'failed', code: code[mode] }
  if (magic === MAGIC_WAIT && !debit.hasWaited) return returnedWith(UNDECIDED, at)
  const returns =
    magic === MAGIC_LATE_RETURN ? { at: new Date(at.getTime() + RETURNS_AFTER_MS), code: SHORT[mode] } : null
  return { kind: 'captured', returns }
}

function isCovered({ mandateState, startOn, endOn }: BankDebit, day: string): boolean {
  return mandateState === 'active' && (startOn ?? '') <= day && day <= (endOn ?? '')
}

/** The same for one that somebody decides: what is out ends so, and what was debited can still be taken back. */
export function obeyDebit(
  { state, mode, isReturned }: BankDebit,
  act: DebitAct,
  at: Date,
): DebitVerdict | null {
  if (isReturned) return null
  const code = act.kind === 'bounced' ? (act.code ?? SHORT[mode]) : null
  if (state === 'pending') return code === null ? { kind: 'captured', returns: null } : returnedWith(code, at)
  return state === 'captured' && code !== null ? { kind: 'returned', code } : null
}

/** "Not decided yet" ends nothing: the bank decides later, by itself. */
function returnedWith(code: string, at: Date): DebitVerdict {
  if (code !== UNDECIDED) return { kind: 'failed', code }
  return { kind: 'wait', until: new Date(at.getTime() + WAITS_MS) }
}

const RETURNS: Record<string, string> = {
  '04': 'The account did not have enough money.',
  Z9: 'The account did not have enough money.',
  59: 'The bank could not process the debit.',
  U30: 'The bank could not process the debit.',
  '08': 'The bank has no valid mandate.',
  QA: 'The bank has no valid mandate.',
  15: 'The debit is above the mandate.',
  U54: 'The debit is above the mandate.',
}

export function returnMessage(code: string): string {
  return RETURNS[code] ?? `The bank returned the debit with the code ${code}.`
}

function momentOf(day: string, ms: number): Date {
  return new Date(startOfDay(day).getTime() + ms)
}
