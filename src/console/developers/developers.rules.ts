import { SCOPES, type Scope } from '../../institutes/institutes.rules.ts'
import { isPaused } from '../../webhooks/subscriptions/subscriptions.rules.ts'
import { EVERYONE, type ConsoleRole } from '../console.rules.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'

/** People who connect the ERP see keys, webhooks and what is fetched. */
export const DEVELOPERS: readonly ConsoleRole[] = ['owner', 'developer', 'operator']

/** Who may do in the console what a key may do with a scope. */
const HOLDERS: Readonly<Record<Scope, readonly ConsoleRole[]>> = {
  read: EVERYONE,
  orders: MONEY_HANDLERS,
  students: FINANCE_ROLES,
  refunds: MONEY_HANDLERS,
  settings: DEVELOPERS,
}

/** What a role may put into a key: nothing that its people may not do themselves. */
export function grantableBy(role: ConsoleRole): Scope[] {
  return SCOPES.filter(scope => HOLDERS[scope].includes(role))
}

/** How a subscription fares, as one word. */
export const WEBHOOK_HEALTH = ['well', 'failing', 'paused', 'disabled'] as const
export type WebhookHealth = (typeof WEBHOOK_HEALTH)[number]

/** Real time, which receivers live in. */
export function healthOf(
  subscription: { disabledAt: Date | null; pausedUntil: Date | null; failuresInRow: number },
  now: Date,
): WebhookHealth {
  if (subscription.disabledAt !== null) return 'disabled'
  if (isPaused(subscription, now)) return 'paused'
  return subscription.failuresInRow > 0 ? 'failing' : 'well'
}
