import { conflict } from '../../platform/errors.ts'

/** A cheque or draft that was taken at the counter. `cancelled`: its payment was, so that it counts no more. */
export const CHEQUE_STATES = ['in_hand', 'deposited', 'cleared', 'bounced', 'cancelled'] as const
export type ChequeState = (typeof CHEQUE_STATES)[number]
export type ChequeAct = 'deposit' | 'clear' | 'bounce'

/** A bank may return a cheque that it had cleared; one that bounced is presented again only as a new payment. */
const NEXT: Record<ChequeState, Partial<Record<ChequeAct, ChequeState>>> = {
  in_hand: { deposit: 'deposited', clear: 'cleared', bounce: 'bounced' },
  deposited: { clear: 'cleared', bounce: 'bounced' },
  cleared: { bounce: 'bounced' },
  bounced: {},
  cancelled: {},
}

const READABLE: Record<ChequeState, string> = {
  in_hand: 'in the office',
  deposited: 'deposited',
  cleared: 'cleared',
  bounced: 'bounced',
  cancelled: 'cancelled',
}

export function nextState(cheque: { number: string; state: ChequeState }, act: ChequeAct): ChequeState {
  const next = NEXT[cheque.state][act]
  if (next === undefined) throw conflict(`The cheque ${cheque.number} is ${READABLE[cheque.state]} already.`)
  return next
}

/** What a family is charged for a cheque that bounced stands among its fees under this name. */
export const BOUNCE_CHARGE = 'CHEQUE_BOUNCE_CHARGE'
