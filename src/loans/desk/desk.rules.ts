import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { formatRupees, subtractPaise, sumPaise, type Paise } from '../../platform/money.ts'
import type { LenderUpdate } from '../lender-port.ts'
import {
  type Application,
  assertNear,
  assertUtr,
  canAccept,
  emiOf,
  isOpen,
  isOver,
  type LoanFile,
} from '../loans.rules.ts'

/** What the people of a lender without an API record. */
export type DeskRequest =
  | {
      kind: 'approve'
      amountPaise: Paise
      yearlyRateBp: number
      months: number
      emiPaise: Paise
      feesPaise: Paise
    }
  | { kind: 'reject'; reason: string }
  | {
      kind: 'sanction'
      tranches: readonly { plannedOn: string; amountPaise: Paise }[]
      /** Why, if no letter is attached. */
      withoutLetter: string | null
    }
  | { kind: 'disburse'; disbursementId: string; amountPaise: Paise; day: string; reference: string }
  | { kind: 'cancel' }

export const DESK_ACTS = ['approve', 'reject', 'sanction', 'disburse', 'cancel'] as const
type DeskAct = DeskRequest['kind']

/** Versions of a sanction letter that are kept. */
export const MOST_LETTERS = 20

/** What they can do next. */
export function deskActs({ application, tranches, payOuts }: LoanFile): DeskAct[] {
  const { state, ending, acceptedAt } = application
  if (isOver(state) || ending !== null) return []
  const acts: Record<DeskAct, boolean> = {
    approve: state === 'filled' || canAccept(application),
    reject: state === 'filled' || state === 'final_approved',
    sanction: state === 'final_approved' && acceptedAt !== null,
    disburse: state === 'agreement_signed' && tranches.some(isOpen),
    cancel: state === 'agreement_signed' && payOuts.length === 0,
  }
  return DESK_ACTS.filter(act => acts[act])
}

export const WAITED_FOR = ['family', 'lender', 'institute'] as const

/** Who has to act: nobody once it is over, the institute while it has transfers to look for on its bank's statement. */
export function waitsFor(
  application: Application,
  { hasUnconfirmed }: { hasUnconfirmed: boolean },
): (typeof WAITED_FOR)[number] | null {
  if (isOver(application.state)) return null
  if (hasUnconfirmed) return 'institute'
  return application.state === 'started' || canAccept(application) ? 'family' : 'lender'
}

/** Around the annuity, with room for a rate that is meant flat. */
const [LEAST_EMI, MOST_EMI] = [0.9, 1.3]

/** The report that a lender with an API would send; throws what a person has to change. */
export function toUpdate(file: LoanFile, request: DeskRequest, at: Date): LenderUpdate {
  const { application } = file
  if (!deskActs(file).includes(request.kind)) throw conflict(refusalOf(application, request.kind))
  switch (request.kind) {
    case 'approve': {
      const { amountPaise, yearlyRateBp, months, emiPaise, feesPaise } = request
      if (amountPaise > application.askedPaise)
        throw conflict('More than what was asked for cannot be approved.')
      if (feesPaise >= amountPaise) throw badField('fees', 'must be less than the loan')
      const usualPaise = emiOf(amountPaise, { yearlyRatePercent: yearlyRateBp / 100, months })
      if (emiPaise < LEAST_EMI * usualPaise || emiPaise > MOST_EMI * usualPaise)
        throw badField('emi', `does not fit: at this rate it is about ${formatRupees(usualPaise)} a month`)
      const terms = { yearlyRatePercent: yearlyRateBp / 100, months, emiPaise, feesPaise, termsUrl: null }
      return { kind: 'approved', at, amountPaise, offer: { ref: nextOffer(application), ...terms } }
    }
    case 'reject':
      return { kind: 'rejected', at, reason: request.reason }
    case 'sanction': {
      for (const [index, { plannedOn }] of request.tranches.entries())
        assertNear(`tranches.${index}.date`, plannedOn, dayOf(at), { before: 1, after: 10 })
      const tranches = request.tranches.map((one, index) => ({ ref: `T${index + 1}`, ...one }))
      if (sumPaise(tranches.map(one => one.amountPaise)) !== application.amountPaise)
        throw conflict(
          `The tranches must add up to the ${formatRupees(application.amountPaise)} of the loan.`,
        )
      return { kind: 'signed', at, tranches }
    }
    case 'disburse':
      return { kind: 'paid_out', at, payOut: toPayOut(file, request, dayOf(at)) }
    case 'cancel':
      return { kind: 'canceled', at }
    default:
      return assertNever(request)
  }
}

/** Counts the offers that were made. */
function nextOffer({ id, offer, replacedOffers }: Application): string {
  return `${id}-${replacedOffers.length + (offer === null ? 1 : 2)}`
}

function toPayOut(
  { tranches, payOuts }: LoanFile,
  request: Extract<DeskRequest, { kind: 'disburse' }>,
  today: string,
) {
  const { disbursementId, amountPaise, day } = request
  const reference = assertUtr('utr', request.reference.trim())
  if (day > today) throw badField('date', 'must not be after today')
  assertNear('date', day, today, { before: 1, after: 0 })
  if (payOuts.some(one => one.reference === reference && one.withdrawnAt === null))
    throw conflict('This UTR is recorded already.')
  const tranche = tranches.find(one => one.id === disbursementId && isOpen(one))
  if (tranche === undefined)
    throw conflict('This tranche is paid out already, or it is not one of this loan.')
  if (amountPaise > tranche.amountPaise) throw conflict('This is more than the tranche.')
  const number = payOuts.length + 1
  const restPaise = subtractPaise(tranche.amountPaise, amountPaise)
  const rest = { ref: `${tranche.lenderRef}-${number}`, plannedOn: tranche.plannedOn, amountPaise: restPaise }
  return {
    number,
    trancheRef: tranche.lenderRef,
    day,
    amountPaise,
    reference,
    rest: restPaise === 0 ? null : rest,
  }
}

function refusalOf({ state, ending, acceptedAt }: Application, act: DeskAct): string {
  if (ending !== null) return 'The family is withdrawing this application.'
  if (act === 'sanction' && state === 'final_approved' && acceptedAt === null)
    return 'The family has not accepted the offer yet.'
  return `The application is ${state.replaceAll('_', ' ')}, so this cannot be recorded now.`
}
