import { SCOPES, type Scope } from '../../institutes/scopes.rules.ts'
import { isPaused } from '../../webhooks/subscriptions/subscriptions.rules.ts'
import type { ConsoleRole } from '../console.rules.ts'

/** Those who connect the ERP: keys, webhooks, what is fetched. */
export const DEVELOPERS: readonly ConsoleRole[] = ['owner', 'developer', 'operator']

/**
 * What a role may put into a key, which is what its people may do themselves. Developers and operators connect an ERP,
 * which asks for money and keeps students; money goes out only on the word of those who handle it.
 */
export const GRANTABLE: Readonly<Record<ConsoleRole, readonly Scope[]>> = {
  owner: SCOPES,
  finance: ['read', 'orders', 'students', 'refunds'],
  developer: ['read', 'orders', 'students', 'settings'],
  operator: ['read', 'orders', 'students', 'settings'],
  viewer: ['read'],
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
