import { isPaused } from '../../webhooks/subscriptions/subscriptions.rules.ts'
import type { ConsoleRole } from '../console.rules.ts'

/** Those who connect the ERP: keys, webhooks, what is fetched. */
export const DEVELOPERS: readonly ConsoleRole[] = ['owner', 'developer', 'operator']

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
