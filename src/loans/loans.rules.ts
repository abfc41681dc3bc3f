import type {
  LenderName,
  LenderUpdate,
  LoanLimits,
  LoanTerms,
  Offer,
  PayOut,
  PlannedTranche,
} from './lender-port.ts'
import { assert, assertNever } from '../platform/assert.ts'
import { DAY_MS } from '../platform/calendar.ts'
import { badField, conflict } from '../platform/errors.ts'
import {
  formatRupees,
  minPaise,
  type Paise,
  paiseOf,
  subtractPaise,
  sumPaise,
  ZERO,
} from '../platform/money.ts'

export const LOAN_STATES = [
  'started',
  'filled',
  'final_approved',
  'agreement_signed',
  'disbursed',
  'rejected',
  'canceled',
  'expired',
] as const
export type LoanState = (typeof LOAN_STATES)[number]

/** One a month for five years; protocol, desk and simulator take no more. */
export const MAX_TRANCHES = 60

export type Application = {
  instituteId: number
  id: string
  studentId: string
  collectorCode: string
  lender: LenderName
  /** The name that the parent knew it by. */
  lenderTitle: string
  lenderRef: string | null
  lenderUrl: string | null
  state: LoanState
  askedPaise: Paise
  amountPaise: Paise
  reason: string | null
  /** What the lender reported and could not be applied; null once a later report was. */
  lenderProblem: string | null
  offer: Offer | null
  /** Offers before it, which nobody had accepted. */
  replacedOffers: Offer[]
  /** The borrower accepted the offer on our page; then when the lender confirmed that it knows. */
  acceptedAt: Date | null
  acceptanceSentAt: Date | null
  /** Who accepted from where, and the terms that the page showed. */
  acceptance: { ip: string; agent: string; offer: Offer } | null
  createdAt: Date
  sentAt: Date | null
  /** Who consented then; the student's contact may be somebody else later. */
  borrower: Borrower | null
  filledAt: Date | null
  approvedAt: Date | null
  signedAt: Date | null
  endedAt: Date | null
  expiresAt: Date
  ending: 'canceled' | 'expired' | null
  nextCheckAt: Date | null
  checks: number
}

type Borrower = { name: string; phone: string; email: string; student: string }

type TrancheState = 'planned' | 'paid_out' | 'received' | 'disbursed' | 'failed'

export type Tranche = {
  id: string
  number: number
  lenderRef: string
  state: TrancheState
  plannedOn: string
  amountPaise: Paise
  disbursedPaise: Paise | null
  settlementUtr: string | null
  failure: string | null
}

/** A transfer that the lender reported. */
export type RecordedPayOut = {
  number: number
  trancheId: string
  orderId: string
  paymentId: string
  amountPaise: Paise
  reference: string
  paidOutAt: Date
  /** Set once a transfer to the institute's own bank account was found on the statement. */
  receivedAt: Date | null
  missingAt: Date | null
  /** The part that never arrived, or went back to the lender. */
  returnedPaise: Paise
  returnedAt: Date | null
  /** The institute took its confirmation back. */
  withdrawnAt: Date | null
  /** When the institute was reminded to look for it. */
  remindedAt: Date | null
}

export type Emi = { id: string; lenderRef: string; dueOn: string; paidAt: Date; amountPaise: Paise }

/** An application with its tranches, pay-outs and EMIs. */
export type LoanFile = {
  application: Application
  tranches: Tranche[]
  payOuts: RecordedPayOut[]
  emis: Emi[]
}

/** Allowed transitions. A signed application can be canceled only while nothing is paid out. */
const MOVES: Record<LoanState, readonly LoanState[]> = {
  started: ['filled', 'rejected', 'canceled', 'expired'],
  filled: ['final_approved', 'rejected', 'canceled', 'expired'],
  final_approved: ['agreement_signed', 'rejected', 'canceled', 'expired'],
  agreement_signed: ['disbursed', 'canceled'],
  disbursed: [],
  rejected: [],
  canceled: [],
  expired: [],
}

export function canMove(from: LoanState, to: LoanState): boolean {
  return MOVES[from].includes(to)
}

export function assertMove(from: LoanState, to: LoanState): void {
  assert(canMove(from, to), `an application cannot move from ${from} to ${to}`)
}

const TRANCHE_MOVES: Record<TrancheState, readonly TrancheState[]> = {
  planned: ['paid_out'],
  paid_out: ['received', 'failed'],
  failed: ['paid_out', 'received'],
  received: ['disbursed', 'failed'],
  disbursed: ['failed'],
}

export function assertTrancheMove(from: TrancheState, to: TrancheState): void {
  assert(TRANCHE_MOVES[from].includes(to), `a tranche cannot move from ${from} to ${to}`)
}

/** A transfer of it turned out never to have arrived: the lender still owes it. */
export function reopen(application: Application): Application {
  if (application.state !== 'disbursed') return application
  return { ...application, state: 'agreement_signed', endedAt: null, checks: 0 }
}

/** No further transition; EMIs of a loan are still recorded. */
export function isOver(state: LoanState): boolean {
  return MOVES[state].length === 0
}

function isTaken(state: LoanState): boolean {
  return state === 'agreement_signed' || state === 'disbursed'
}

/** The parent or the institute may end it until the agreement is signed. */
export function canEnd(state: LoanState): boolean {
  return !isOver(state) && !isTaken(state)
}

/** An offer that waits for the borrower on our page. */
export function canAccept({ state, offer, acceptedAt, ending }: Application): boolean {
  return state === 'final_approved' && offer !== null && acceptedAt === null && ending === null
}

/** `ahead`: an earlier report is missing, so the lender has to be asked for all of them. */
export type Verdict = 'apply' | 'nothing' | 'ahead'

/** Whether to apply a report, given that reports may be duplicated or out of order. */
export function judge(file: LoanFile, update: LenderUpdate): Verdict {
  const { state } = file.application
  switch (update.kind) {
    case 'filled':
      return reach(state, 'filled')
    case 'approved':
      return isNewOffer(file.application, update.offer ?? null) ? 'apply' : reach(state, 'final_approved')
    case 'signed':
      return reach(state, 'agreement_signed')
    case 'rejected':
    case 'expired':
      return canMove(state, update.kind) ? 'apply' : 'nothing'
    case 'canceled':
      return canMove(state, 'canceled') && file.payOuts.length === 0 ? 'apply' : 'nothing'
    case 'paid_out':
      return ofTaken(state, () => {
        const next = file.payOuts.length + 1
        if (update.payOut.number === next) return 'apply'
        return update.payOut.number < next ? 'nothing' : 'ahead'
      })
    case 'emi_debited':
      return ofTaken(state, () =>
        file.emis.some(emi => emi.lenderRef === update.emi.ref) ? 'nothing' : 'apply',
      )
    default:
      return assertNever(update)
  }
}

/** An offer that nobody has accepted can be replaced; one that was replaced never comes back, however late it is reported. */
function isNewOffer(application: Application, offer: Offer | null): boolean {
  const known = [application.offer, ...application.replacedOffers].map(one => one?.ref)
  return canAccept(application) && offer !== null && !known.includes(offer.ref)
}

/** An end is possible from every earlier state, so it may have overtaken a report: ask the lender first. */
export function mayOvertake({ kind }: LenderUpdate): boolean {
  return kind === 'rejected' || kind === 'canceled' || kind === 'expired'
}

const STEPS: readonly LoanState[] = ['started', 'filled', 'final_approved', 'agreement_signed', 'disbursed']

/** Applied when it is the next step; `ahead` when a step before it is missing. */
function reach(from: LoanState, to: LoanState): Verdict {
  if (canMove(from, to)) return 'apply'
  return STEPS.includes(from) && STEPS.indexOf(from) < STEPS.indexOf(to) ? 'ahead' : 'nothing'
}

function ofTaken(state: LoanState, judgeIt: () => Verdict): Verdict {
  if (isTaken(state)) return judgeIt()
  return isOver(state) ? 'nothing' : 'ahead'
}

type PaidTranche =
  /** An open planned tranche; what the lender will still pay of it becomes a new tranche. */
  | { kind: 'planned'; tranche: Tranche; amountPaise: Paise; rest: PlannedTranche | null }
  /** The lender paid without a planned tranche; the money has to be recorded all the same. */
  | { kind: 'unplanned'; amountPaise: Paise }

/** The tranche that a pay-out belongs to. */
export function trancheOf(tranches: readonly Tranche[], payOut: PayOut): PaidTranche {
  const isOpen = ({ state }: Tranche): boolean => state === 'planned' || state === 'failed'
  const tranche = tranches.find(one => one.lenderRef === payOut.trancheRef && isOpen(one))
  if (tranche === undefined) return { kind: 'unplanned', amountPaise: payOut.amountPaise }
  // Ignore a remainder that would leave nothing for this pay-out.
  const rest = payOut.rest !== null && payOut.rest.amountPaise < tranche.amountPaise ? payOut.rest : null
  const amountPaise = subtractPaise(tranche.amountPaise, rest?.amountPaise ?? ZERO)
  return { kind: 'planned', tranche, amountPaise, rest }
}

const EXPIRES_AFTER_MS = 30 * DAY_MS

/** An application expires a month after it was started, an offer a month after it was made. */
export function expiryAfter(from: Date): Date {
  return new Date(from.getTime() + EXPIRES_AFTER_MS)
}

const MINUTE_MS = 60_000
const CHECK_AFTER_MINUTES = [1, 2, 5, 15, 60, 240, 720]
const WEEK_MS = 7 * DAY_MS
const EMIS_ASKED_FOR_MS = 5 * 366 * DAY_MS

/**
 * When to ask the lender next: at growing intervals until the end is known, then weekly for the EMIs for as long as
 * school loans run. An application that was never sent needs no status check, only its expiry.
 */
export function nextCheck(application: Application, now: Date): Date | null {
  const { state, sentAt, signedAt, expiresAt, checks } = application
  if (state === 'disbursed') {
    const isOld = now.getTime() - (signedAt ?? now).getTime() > EMIS_ASKED_FOR_MS
    return isOld ? null : new Date(now.getTime() + WEEK_MS)
  }
  if (isOver(state)) return null
  if (sentAt === null) return expiresAt
  const minutes = CHECK_AFTER_MINUTES[Math.min(checks, CHECK_AFTER_MINUTES.length - 1)] ?? 720
  const next = new Date(now.getTime() + minutes * MINUTE_MS)
  return canEnd(state) && expiresAt > now && expiresAt < next ? expiresAt : next
}

type Line = { componentType: string; amountPaise: Paise }

/** The component for money that arrives when a student has no fees at all. */
const NO_FEES = 'FEES'

/** Allocates to what is owed, oldest component first; the remainder is an advance on the first component. */
export function allocate(
  amountPaise: Paise,
  { owed, components }: { owed: readonly Line[]; components: readonly string[] },
): Line[] {
  let left = amountPaise
  const lines = owed.flatMap(({ componentType, amountPaise: due }): Line[] => {
    const part = minPaise(due, left)
    left = subtractPaise(left, part)
    return part > 0 ? [{ componentType, amountPaise: part }] : []
  })
  if (left === 0) return lines
  const first = components[0] ?? NO_FEES
  const known = lines.find(line => line.componentType === first)
  if (known === undefined) return [{ componentType: first, amountPaise: left }, ...lines]
  const more = sumPaise([known.amountPaise, left])
  return lines.map(line => (line === known ? { ...line, amountPaise: more } : line))
}

/** The amount to apply for: by default all that is owed, within the lender's limits. */
export function amountToAsk(asked: Paise | undefined, owedPaise: Paise, limits: LoanLimits): Paise {
  const { leastPaise, mostPaise } = limits
  if (owedPaise === 0) throw conflict('Nothing is outstanding for this student, so there is nothing to lend.')
  if (owedPaise < leastPaise)
    throw conflict(
      `Only ${owedPaise / 100} rupees are outstanding; the lender lends ${leastPaise / 100} rupees or more.`,
    )
  const most = minPaise(owedPaise, mostPaise)
  const amount = asked ?? most
  if (amount > most) throw badField('amount', `must be at most ${most / 100} rupees`)
  if (amount < leastPaise) throw badField('amount', `must be at least ${leastPaise / 100} rupees`)
  return amount
}

/** The monthly EMI to the paisa: the annuity of the amount at the yearly rate. */
export function emiOf(amountPaise: Paise, { yearlyRatePercent, months }: LoanTerms): Paise {
  const rate = yearlyRatePercent / 1_200
  if (rate === 0) return paiseOf(Math.ceil(amountPaise / months))
  return paiseOf(Math.round((amountPaise * rate) / (1 - (1 + rate) ** -months)))
}

/** The name of the account that lenders' direct transfers go through. */
export const BANK_TRANSFER = 'bank-transfer'

export const NOT_REFUNDABLE =
  'This money came from a lender to the bank account directly. Pay it back from there, and record that at the loan.'

/**
 * Refuses a lender's report, however rightly it is signed, of more than was asked for, of an agreement that the family has
 * not accepted, or of money beyond the agreement. Null when it is fine. Nothing of a refused report is applied; the
 * lender is answered why, and the institute sees it.
 */
export function reportRefusal(file: LoanFile, update: LenderUpdate): string | null {
  const { application } = file
  switch (update.kind) {
    case 'approved':
      if (update.amountPaise <= application.askedPaise) return null
      return `${formatRupees(update.amountPaise)} were approved, and ${formatRupees(application.askedPaise)} were asked for.`
    case 'signed': {
      if (application.offer !== null && application.acceptedAt === null)
        return 'The agreement was reported before the family accepted the offer.'
      const totalPaise = sumPaise(update.tranches.map(one => one.amountPaise))
      if (totalPaise === application.amountPaise) return null
      return `The tranches are ${formatRupees(totalPaise)} together, and ${formatRupees(application.amountPaise)} were approved.`
    }
    case 'paid_out':
      return payOutRefusal(file, update.payOut)
    default:
      return null
  }
}

/** An agreement or money for an application that ended here without one, or a transfer that was reported otherwise before. */
export function contradiction(file: LoanFile, update: LenderUpdate): string | null {
  const { state, signedAt } = file.application
  const isEnded = isOver(state) && signedAt === null
  if (isEnded && (update.kind === 'signed' || update.kind === 'paid_out'))
    return `The application is ${state} here, and the lender reports a loan.`
  return isOtherTransfer(file, update)
    ? 'A transfer with this number was reported before, with another amount or UTR.'
    : null
}

function isOtherTransfer({ payOuts }: LoanFile, update: LenderUpdate): boolean {
  if (update.kind !== 'paid_out') return false
  const { number, amountPaise, reference } = update.payOut
  const known = payOuts.find(one => one.number === number)
  return known !== undefined && (known.amountPaise !== amountPaise || known.reference !== reference)
}

function payOutRefusal({ application, tranches, payOuts }: LoanFile, payOut: PayOut): string | null {
  const { trancheRef, amountPaise, reference } = payOut
  if (payOuts.some(one => one.reference === reference && one.withdrawnAt === null))
    return `The UTR ${reference} is recorded already.`
  const named = tranches.filter(one => one.lenderRef === trancheRef)
  if (named.length === 0) return `The loan has no tranche ${trancheRef}.`
  const open = named.find(isOpen)
  if (open !== undefined && amountPaise > open.amountPaise)
    return `${formatRupees(amountPaise)} are more than the tranche.`
  const sentPaise = sumPaise(tranches.filter(one => !isOpen(one)).map(one => one.amountPaise))
  if (sumPaise([sentPaise, amountPaise]) <= application.amountPaise) return null
  return `${formatRupees(amountPaise)} would be more than the loan of ${formatRupees(application.amountPaise)}.`
}

export function isOpen({ state }: Tranche): boolean {
  return state === 'planned' || state === 'failed'
}

/** When something happened: not before there was an application, and not in the future. */
export function clampTime(at: Date, { from, to }: { from: Date; to: Date }): Date {
  return new Date(Math.min(Math.max(at.getTime(), from.getTime()), Math.max(from.getTime(), to.getTime())))
}

const UTR = /^[A-Za-z0-9]{6,30}$/

/** Bank references are letters and digits; anything else is never found on a statement. */
export function assertUtr(key: string, reference: string): string {
  if (UTR.test(reference)) return reference
  throw badField(key, 'must be the bank reference of the transfer: 6 to 30 letters and digits')
}

/** A day that a person or a lender's clock cannot have meant. */
export function assertNear(key: string, day: string, today: string, years: Years): void {
  const at = Temporal.PlainDate.from(today)
  const isBefore = day < at.subtract({ years: years.before }).toString()
  if (isBefore || day > at.add({ years: years.after }).toString()) throw badField(key, `cannot be ${day}`)
}

type Years = { before: number; after: number }

const SILENT_FOR_MS = 7 * DAY_MS

/** It lapsed a week ago, and the lender cannot be asked: it ends here without the lender. */
export function isGivenUp({ state, expiresAt }: Application, now: Date): boolean {
  return canEnd(state) && now.getTime() - expiresAt.getTime() > SILENT_FOR_MS
}
