import { randomBytes } from 'node:crypto'

/** An emulated lender's own records: what it was asked for, and every update it has to report. Amounts are rupees. */
type Tranche = { id: string; date: string; amount: number }

export type Update =
  | { kind: 'filled' | 'canceled' | 'expired'; at: string }
  | { kind: 'approved'; at: string; amount: number; offer?: Offer }
  | { kind: 'rejected'; at: string; reason: string }
  | { kind: 'sanctioned'; at: string; tranches: Tranche[] }
  | { kind: 'disbursed'; at: string; disbursement: Disbursement }
  | { kind: 'emi_paid'; at: string; emi: { id: string; due_date: string; amount: number } }

type Offer = { id: string; yearly_rate_bp: number; months: number; emi: number; fees: number }
type Disbursement = {
  number: number
  tranche_id: string
  date: string
  amount: number
  utr: string
  rest?: Tranche
}

export type Loan = {
  applicationId: string
  ref: string
  amount: number
  borrower: string
  description: string
  returnUrl: string
  state: 'open' | 'filled' | 'approved' | 'sanctioned' | 'over'
  offerId: string | null
  isAccepted: boolean
  open: Tranche[]
  updates: Update[]
}

export type Submission = {
  application_id: string
  amount: number
  borrower: { name: string }
  description: string
  return_url: string
}

/** What the borrower does, or the lender's people. */
export type Act =
  | { kind: 'fill' | 'cancel' | 'expire' | 'emi' }
  | { kind: 'approve'; amount?: number; hasOffer?: boolean }
  | { kind: 'reject'; reason?: string }
  | { kind: 'sanction'; tranches?: { date: string; amount: number }[] }
  | { kind: 'disburse'; amount?: number }

export class LenderBooks {
  readonly loans = new Map<string, Loan>()
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  /** The same application again is the same loan. */
  submit(sent: Submission): Loan {
    const known = this.loans.get(sent.application_id)
    if (known !== undefined) return known
    const loan: Loan = {
      applicationId: sent.application_id,
      ref: `VF-${randomBytes(5).toString('hex').toUpperCase()}`,
      amount: sent.amount,
      borrower: sent.borrower.name,
      description: sent.description,
      returnUrl: sent.return_url,
      state: 'open',
      offerId: null,
      isAccepted: false,
      open: [],
      updates: [],
    }
    this.loans.set(sent.application_id, loan)
    return loan
  }

  /** What there is to report of an act; null when it is too early or too late for it. */
  act(loan: Loan, act: Act): Update | null {
    const update = this.#perform(loan, act)
    if (update !== null) loan.updates.push(update)
    return update
  }

  /** Not once an agreement is made. */
  end(applicationId: string, how: 'canceled' | 'expired'): Loan | undefined {
    const loan = this.loans.get(applicationId)
    if (loan !== undefined && loan.state !== 'sanctioned')
      this.act(loan, { kind: how === 'canceled' ? 'cancel' : 'expire' })
    return loan
  }

  accept(applicationId: string, offerId: string): boolean {
    const loan = this.loans.get(applicationId)
    if (loan?.offerId !== offerId) return false
    loan.isAccepted = true
    return true
  }

  #perform(loan: Loan, act: Act): Update | null {
    const at = this.#now().toISOString()
    switch (act.kind) {
      case 'fill':
        if (loan.state !== 'open') return null
        loan.state = 'filled'
        return { kind: 'filled', at }
      case 'approve':
        return approve(loan, act, at)
      case 'reject':
        if (loan.state !== 'filled' && loan.state !== 'open') return null
        loan.state = 'over'
        return { kind: 'rejected', at, reason: act.reason ?? 'The income could not be verified.' }
      case 'sanction':
        return sanction(loan, act.tranches ?? [{ date: dayOf(at), amount: loan.amount }], at)
      case 'disburse':
        return disburse(loan, act.amount, at)
      case 'emi':
        return payEmi(loan, at)
      case 'cancel':
        if (loan.state === 'over' || isPaidOut(loan)) return null
        loan.state = 'over'
        return { kind: 'canceled', at }
      case 'expire':
        if (loan.state === 'over' || loan.state === 'sanctioned') return null
        loan.state = 'over'
        return { kind: 'expired', at }
      default:
        throw new Error(`an unknown act: ${JSON.stringify(act)}`)
    }
  }
}

function approve(
  loan: Loan,
  { amount = loan.amount, hasOffer = true }: Extract<Act, { kind: 'approve' }>,
  at: string,
): Update | null {
  if (loan.state !== 'filled') return null
  loan.state = 'approved'
  loan.amount = amount
  if (!hasOffer) return { kind: 'approved', at, amount }
  const id = `OFF-${loan.ref}`
  loan.offerId = id
  const emi = Math.round((amount * 1.07) / 12)
  return { kind: 'approved', at, amount, offer: { id, yearly_rate_bp: 1250, months: 12, emi, fees: 590 } }
}

function sanction(loan: Loan, plan: readonly { date: string; amount: number }[], at: string): Update | null {
  if (loan.state !== 'approved') return null
  loan.open = plan.map((one, index) => ({ id: `T${index + 1}`, ...one }))
  loan.state = 'sanctioned'
  return { kind: 'sanctioned', at, tranches: [...loan.open] }
}

function payEmi(loan: Loan, at: string): Update | null {
  if (!isPaidOut(loan)) return null
  const number = loan.updates.filter(({ kind }) => kind === 'emi_paid').length + 1
  return {
    kind: 'emi_paid',
    at,
    emi: { id: `E${number}`, due_date: dayOf(at), amount: Math.round(loan.amount / 12) },
  }
}

/** Transfers the next tranche or a part of it, whose rest becomes a tranche. */
function disburse(loan: Loan, wanted: number | undefined, at: string): Update | null {
  const [next, ...later] = loan.open
  if (loan.state !== 'sanctioned' || next === undefined) return null
  const amount = Math.min(wanted ?? next.amount, next.amount)
  const number = loan.updates.filter(({ kind }) => kind === 'disbursed').length + 1
  const rest = { ...next, id: `${next.id}-R${number}`, amount: next.amount - amount }
  loan.open = rest.amount > 0 ? [rest, ...later] : later
  const utr = `VFIN${loan.ref.slice(-8)}${String(number).padStart(2, '0')}`
  const disbursement = { number, tranche_id: next.id, date: dayOf(at), amount, utr }
  return {
    kind: 'disbursed',
    at,
    disbursement: rest.amount > 0 ? { ...disbursement, rest } : disbursement,
  }
}

function isPaidOut({ updates }: Loan): boolean {
  return updates.some(({ kind }) => kind === 'disbursed')
}

const INDIA_MS = 5.5 * 3_600_000

/** A day of banks is one of India. */
function dayOf(at: string): string {
  return new Date(Date.parse(at) + INDIA_MS).toISOString().slice(0, 10)
}
