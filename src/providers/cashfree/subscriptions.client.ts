import { dayAfter, dayOf } from '../../platform/calendar.ts'
import type { Call } from '../http.ts'
import { ProviderRefused } from '../refused.ts'
import { type Connection, find } from './connection.ts'
import type { DebitRef } from './ids.ts'
import { outcomeOfSubscription } from './reports.ts'
import { returnCodeOf } from './return-codes.ts'
import * as shapes from './shapes.ts'

export function findSubscription(call: Call, id: string): Promise<shapes.Subscription | null> {
  return find(call, `/subscriptions/${encodeURIComponent(id)}`, shapes.readSubscription)
}

/** Activating needs a day, also where no debit follows by itself. */
export async function manage(
  { now }: Connection,
  call: Call,
  id: string,
  action: 'CANCEL' | 'PAUSE' | 'ACTIVATE',
): Promise<void> {
  const tomorrow = `${dayAfter(dayOf(now()))}T00:00:00+05:30`
  const details = action === 'ACTIVATE' ? { action_details: { next_scheduled_time: tomorrow } } : {}
  const body = { subscription_id: id, action, ...details }
  await call('POST', `/subscriptions/${encodeURIComponent(id)}/manage`, () => null, { body })
}

/**
 * After a debit was refused. Cashfree puts a subscription on hold when a debit fails, and we pause one whose plan is stopped:
 * it takes none until told to, and a presentation needs that; true when it was told. A pause of the payer's is the payer's
 * to end. Throws what is over for good.
 */
export async function letGoOn(
  connection: Connection,
  call: Call,
  { debit, refused }: { debit: DebitRef; refused: ProviderRefused },
): Promise<boolean> {
  const subscription = await findSubscription(call, debit.subscriptionId)
  if (subscription?.status === 'ON_HOLD' || subscription?.status === 'PAUSED') {
    await manage(connection, call, debit.subscriptionId, 'ACTIVATE')
    return true
  }
  const outcome = subscription === null ? null : outcomeOfSubscription(subscription)
  if (outcome?.kind === 'cancelled')
    throw new ProviderRefused(outcome.message, returnCodeOf('mandate revoked', debit.rail))
  if (outcome?.kind === 'expired')
    throw new ProviderRefused(refused.message, returnCodeOf('mandate expired', debit.rail))
  return false
}
