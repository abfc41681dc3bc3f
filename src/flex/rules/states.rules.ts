import { assert } from '../../platform/assert.ts'

/** What may follow what. States change nowhere but through `transition`, so what is not in these tables cannot happen. */
export const TRANSITIONS = {
  plan: {
    draft: ['setup', 'cancelled'],
    setup: ['active', 'locked', 'cancelled', 'closed'],
    active: ['locked', 'cancelled', 'closed'],
    locked: ['active', 'cancelled', 'closed'],
    cancelled: [],
    // Something came back: a fee, a payment that was cancelled, a debit that the bank returned late.
    closed: ['active'],
  },
  mandate: {
    pending: ['active', 'rejected', 'cancelled'],
    active: ['cancelled', 'expired'],
    cancelled: [],
    expired: [],
    rejected: [],
  },
  instalment: {
    // A down payment is debited without a presentation of ours.
    scheduled: ['confirmed', 'skipped', 'due', 'covered', 'waived', 'cancelled', 'debited'],
    // Back to scheduled when its notice is withdrawn.
    confirmed: ['presented', 'scheduled', 'covered', 'waived', 'cancelled'],
    presented: ['debited', 'bounced', 'confirmed'],
    debited: ['settled', 'reversed'],
    settled: ['reversed'],
    bounced: ['scheduled', 'covered', 'waived', 'cancelled', 'debited'],
    skipped: ['scheduled', 'covered', 'waived', 'cancelled'],
    reversed: ['scheduled', 'covered', 'waived', 'cancelled'],
    // Above what the mandate may take, or without a mandate: the parent pays it online.
    due: ['scheduled', 'covered', 'waived', 'cancelled'],
    covered: ['scheduled'],
    waived: ['scheduled'],
    cancelled: [],
  },
} as const

type Tables = typeof TRANSITIONS
export type Noun = keyof Tables
export type StateOf<N extends Noun> = keyof Tables[N] & string

export type PlanState = StateOf<'plan'>
/** A plan that is cancelled while a debit is at the bank waits for its result; people and the API see it as `cancelling`. */
export type PlanStatus = PlanState | 'cancelling'
export type MandateState = StateOf<'mandate'>
export type InstalmentState = StateOf<'instalment'>

export function statesOf<N extends Noun>(noun: N): StateOf<N>[] {
  return Object.keys(TRANSITIONS[noun]) as StateOf<N>[]
}

export const PLAN_STATUSES: PlanStatus[] = [...statesOf('plan'), 'cancelling']

/** The state that follows; a transition that is not in the table is a bug of ours and throws. */
export function transition<N extends Noun>(noun: N, from: StateOf<N>, to: StateOf<N>): StateOf<N> {
  const table: Record<string, readonly string[]> = TRANSITIONS[noun]
  assert(table[from]?.includes(to) === true, `a ${noun} cannot go from ${from} to ${to}`)
  return to
}
