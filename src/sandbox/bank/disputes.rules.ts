import { badField, conflict } from '../../platform/errors.ts'
import { formatRupees, paiseOf, type Paise } from '../../platform/money.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import type { DisputeReport } from '../../providers/port.ts'
import type { BankPayment } from './simulator.rules.ts'

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
