import { type Institute, expandScopes, requireGrantable } from '../../institutes/institutes.rules.ts'
import { addDays, dayOf, startOfDay } from '../../platform/calendar.ts'
import { conflict } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { type Command, innerCommand } from '../../platform/idempotency.ts'
import type { SubscriptionChange } from '../../webhooks/subscriptions/subscriptions.rules.ts'
import {
  addSubscription,
  disableSubscription,
  getSubscription,
  type SavedSubscription,
  type Subscription,
} from '../../webhooks/subscriptions/subscriptions.service.ts'
import { grantableBy } from './developers.rules.ts'
import { countByDay, type DeliveryDay } from './webhooks.store.ts'
import { issueKey, rotateKeyOf, type IssuedKey, type NewKey } from '../../institutes/keys.service.ts'
import type { ConsoleRole } from '../console.rules.ts'

const SHOWN_DAYS = 30

/** What became of the deliveries of each of the last days, today included; deliveries follow real time. */
export async function readDeliveryDays({ db }: Context, institute: Institute): Promise<DeliveryDay[]> {
  const today = dayOf(new Date())
  const first = addDays(today, 1 - SHOWN_DAYS)
  const counts = new Map((await countByDay(db, institute.id, startOfDay(first))).map(one => [one.day, one]))
  return Array.from({ length: SHOWN_DAYS }, (_, no) => {
    const day = addDays(first, no)
    return counts.get(day) ?? { day, atOnce: 0, later: 0, waiting: 0, givenUp: 0 }
  })
}

/** Secret and header; where it goes stays, as the ERP's own API has it. */
export async function changeWebhook(
  ctx: Context,
  command: Command<SavedSubscription>,
  institute: Institute,
  { id, ...change }: SubscriptionChange & { id: string },
): Promise<SavedSubscription> {
  const { collectorCode, eventCode, url, failureEmails } = await requireActive(ctx, institute, id)
  return addSubscription(ctx, command, institute, {
    collectorCode,
    eventCode,
    url,
    failureEmails,
    ...change,
  })
}

export async function disableWebhook(
  ctx: Context,
  command: Command<Subscription>,
  institute: Institute,
  id: string,
): Promise<Subscription> {
  await requireActive(ctx, institute, id)
  return disableSubscription(ctx, command, institute, id)
}

async function requireActive(ctx: Context, institute: Institute, id: string): Promise<Subscription> {
  const subscription = await getSubscription(ctx, institute, id)
  if (subscription.disabledAt !== null)
    throw conflict('This subscription is disabled. Add the webhook again.')
  return subscription
}

/** A key as it is answered. Its secret is answered once: no answer that is kept for a repeated request holds it. */
export type ShownKey = Omit<IssuedKey, 'secret'> & { secret: string | null }

type Granter = { institute: Institute; role: ConsoleRole }

export async function createKeyOnce(
  ctx: Context,
  command: Command<ShownKey>,
  { institute, role }: Granter,
  input: NewKey,
): Promise<ShownKey> {
  requireGrantable(expandScopes(input.scopes), grantableBy(role))
  return issueKey(ctx, withoutSecret(command), institute, input)
}

export async function rotateKeyOnce(
  ctx: Context,
  command: Command<ShownKey>,
  { institute, role }: Granter,
  keyId: string,
): Promise<ShownKey> {
  return rotateKeyOf(ctx, withoutSecret(command), { institute, grantable: grantableBy(role) }, keyId)
}

function withoutSecret(command: Command<ShownKey>): Command<IssuedKey> {
  return innerCommand(command, key => ({ ...key, secret: null }))
}
