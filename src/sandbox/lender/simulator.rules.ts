import { scriptOf } from '../bank/simulator.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import { badField } from '../../platform/errors.ts'
import { subtractPaise, sumPaise, type Paise } from '../../platform/money.ts'
import type { LoanLimits, LenderUpdate, LoanTerms, PlannedTranche } from '../../loans/lender-port.ts'
import { emiOf } from '../../loans/loans.rules.ts'

/** The sandbox's lender. It keeps its own books and does what its pages or the sandbox API tell it. */
type LenderState = 'open' | 'filled' | 'approved' | 'rejected' | 'signed' | 'canceled' | 'expired'

export type LenderLoan = {
  instituteId: number
  ref: string
  applicationId: string
  state: LenderState
  askedPaise: Paise
  approvedPaise: Paise | null
  borrower: { name: string; phone: string; email: string }
  description: string
  tranches: LenderTranche[]
  returnUrl: string
}

type LenderTranche = PlannedTranche & { isPaidOut: boolean }

export const SANDBOX_LIMITS: LoanLimits = { leastPaise: 1_000_00 as Paise, mostPaise: 50_00_000_00 as Paise }
export const SANDBOX_TERMS: LoanTerms = { yearlyRatePercent: 12, months: 12 }
const MAX_EMIS = 600

/** What the borrower does, or the lender. */
export type LenderAct =
  | { kind: 'fill' }
  | { kind: 'approve'; amountPaise?: Paise | undefined }
  | { kind: 'reject'; reason?: string | undefined }
  | { kind: 'sign'; tranches?: readonly { plannedOn: string; amountPaise: Paise }[] | undefined }
  | { kind: 'disburse'; amountPaise?: Paise | undefined; day?: string | undefined }
  /** The lender's own bank tells it that a transfer came back. */
  | { kind: 'bounce'; trancheRef: string }
  | { kind: 'emi'; amountPaise?: Paise | undefined }
  | { kind: 'expire' }
  | { kind: 'cancel' }

/** What the books say then, and what the lender has to tell of it. */
export type LenderMove = { loan: LenderLoan; update: LenderUpdate | null }

type Moment = { now: Date; history: readonly LenderUpdate[] }

/** What the lender makes of an act, or null when it is too late or too early for it. */
export function lenderMove(loan: LenderLoan, act: LenderAct, moment: Moment): LenderMove | null {
  const at = moment.now
  switch (act.kind) {
    case 'fill':
      return loan.state === 'open'
        ? { loan: { ...loan, state: 'filled' }, update: { kind: 'filled', at } }
        : null
    case 'approve':
      return approve(loan, act.amountPaise, at)
    case 'reject':
      if (loan.state !== 'open' && loan.state !== 'filled') return null
      return {
        loan: { ...loan, state: 'rejected' },
        update: { kind: 'rejected', at, reason: act.reason ?? 'The lender did not approve the loan.' },
      }
    case 'sign':
      return sign(loan, act.tranches, at)
    case 'disburse':
      return disburse(loan, act, moment)
    case 'bounce':
      return bounce(loan, act.trancheRef)
    case 'emi':
      return debitEmi(loan, act.amountPaise, moment)
    case 'expire':
      return isOpen(loan) ? { loan: { ...loan, state: 'expired' }, update: { kind: 'expired', at } } : null
    case 'cancel': {
      const isUnpaid = loan.state === 'signed' && payOutsIn(moment.history) === 0
      if (!isOpen(loan) && !isUnpaid) return null
      return { loan: { ...loan, state: 'canceled' }, update: { kind: 'canceled', at } }
    }
    default:
      return assertNever(act)
  }
}

function isOpen({ state }: LenderLoan): boolean {
  return state === 'open' || state === 'filled' || state === 'approved'
}

function payOutsIn(history: readonly LenderUpdate[]): number {
  return history.filter(({ kind }) => kind === 'paid_out').length
}

function approve(loan: LenderLoan, wanted: Paise | undefined, at: Date): LenderMove | null {
  if (loan.state !== 'filled') return null
  const approvedPaise = wanted ?? loan.askedPaise
  if (approvedPaise > loan.askedPaise)
    throw badField('amount', `must be at most the ${loan.askedPaise / 100} rupees that were asked for`)
  return {
    loan: { ...loan, state: 'approved', approvedPaise },
    update: { kind: 'approved', at, amountPaise: approvedPaise },
  }
}

function sign(
  loan: LenderLoan,
  wanted: readonly { plannedOn: string; amountPaise: Paise }[] | undefined,
  at: Date,
): LenderMove | null {
  if (loan.state !== 'approved' || loan.approvedPaise === null) return null
  const plan = wanted ?? [{ plannedOn: dayOf(at), amountPaise: loan.approvedPaise }]
  if (sumPaise(plan.map(({ amountPaise }) => amountPaise)) !== loan.approvedPaise)
    throw badField('tranches', `must add up to the ${loan.approvedPaise / 100} rupees that were approved`)
  const tranches = plan.map((tranche, index) => ({ ref: `T${index + 1}`, ...tranche }))
  return {
    loan: { ...loan, state: 'signed', tranches: tranches.map(one => ({ ...one, isPaidOut: false })) },
    update: { kind: 'signed', at, tranches },
  }
}

/** Pays the next tranche out, or a part of it: the rest is a tranche of its own then. */
function disburse(
  loan: LenderLoan,
  { amountPaise: wanted, day }: Extract<LenderAct, { kind: 'disburse' }>,
  { now, history }: Moment,
): LenderMove | null {
  const next = loan.tranches
    .filter(({ isPaidOut }) => !isPaidOut)
    .toSorted((one, other) => (one.plannedOn < other.plannedOn ? -1 : 1))[0]
  if (loan.state !== 'signed' || next === undefined) return null
  const amountPaise = wanted ?? next.amountPaise
  if (amountPaise > next.amountPaise)
    throw badField('amount', `must be at most the ${next.amountPaise / 100} rupees of the next tranche`)
  const restPaise = subtractPaise(next.amountPaise, amountPaise)
  const rest: PlannedTranche | null =
    restPaise === 0
      ? null
      : { ref: `T${loan.tranches.length + 1}`, plannedOn: next.plannedOn, amountPaise: restPaise }
  const number = payOutsIn(history) + 1
  const paid = { ...next, amountPaise, isPaidOut: true }
  const tranches = loan.tranches.map(one => (one === next ? paid : one))
  const reference = `LEND${loan.ref.slice(-10).toUpperCase()}${String(number).padStart(2, '0')}`
  const payOut = { number, trancheRef: next.ref, day: day ?? dayOf(now), amountPaise, rest, reference }
  return {
    loan: { ...loan, tranches: rest === null ? tranches : [...tranches, { ...rest, isPaidOut: false }] },
    update: { kind: 'paid_out', at: now, payOut },
  }
}

function bounce(loan: LenderLoan, trancheRef: string): LenderMove | null {
  const tranches = loan.tranches.map(one => (one.ref === trancheRef ? { ...one, isPaidOut: false } : one))
  return { loan: { ...loan, tranches }, update: null }
}

function debitEmi(loan: LenderLoan, wanted: Paise | undefined, { now, history }: Moment): LenderMove | null {
  const emis = history.filter(({ kind }) => kind === 'emi_debited').length
  if (loan.state !== 'signed' || payOutsIn(history) === 0 || emis >= MAX_EMIS) return null
  const amountPaise = wanted ?? emiOf(loan.approvedPaise ?? loan.askedPaise, SANDBOX_TERMS)
  const emi = { ref: `E${emis + 1}`, dueOn: dayOf(now), amountPaise }
  return { loan, update: { kind: 'emi_debited', at: now, emi } }
}

/** How often the lender tells what it has to tell: the magic amounts of the sandbox's bank say it of loans too. */
export function tellings({ askedPaise }: LenderLoan): number {
  const script = scriptOf(askedPaise)
  if (script === 'tells_nothing') return 0
  return script === 'tells_twice' ? 2 : 1
}
