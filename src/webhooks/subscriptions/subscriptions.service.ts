import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import type { EventCode } from '../../events/define-event.ts'
import { badFields, badRequest, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { hostProblem } from '../../platform/http-client/addresses.ts'
import { newId } from '../../platform/ids.ts'
import { cancelWaiting } from '../delivery-log/deliveries.store.ts'
import {
  remarks,
  subscriptionProblems,
  urlProblem,
  type KeyChange,
  type SubscriptionChange,
} from './subscriptions.rules.ts'
import * as store from './subscriptions.store.ts'
import { DAY_MS } from '../../platform/calendar.ts'

export { SUBSCRIPTION_COLUMNS, type Subscription } from './subscriptions.store.ts'

export type NewSubscription = SubscriptionChange & {
  collectorCode?: string | undefined
  eventCode: EventCode
  url: string
  failureEmails: string
}

export type SavedSubscription = {
  subscription: store.Subscription
  /** The subscription before the change; null when it is new. */
  before: store.Subscription | null
  message: string | undefined
}

/** Real time, not the domain's: receivers roll keys in their own time. */
const OLD_KEY_SIGNS_MS = DAY_MS

/** Subscribes, or changes secret and header of the subscription there is: one per event code and branch. */
export async function addSubscription(
  ctx: Context,
  command: Command<SavedSubscription>,
  institute: Institute,
  input: NewSubscription,
): Promise<SavedSubscription> {
  const badUrl = urlProblem(input.url, ctx.mode)
  const badHost = hostProblem(input.url, ctx)
  const problems = [
    ...(badUrl === null ? [] : [badUrl]),
    ...(badHost === null ? [] : [{ key: 'url', message: badHost }]),
    ...subscriptionProblems(input),
  ]
  if (problems.length > 0) throw badFields(problems)
  const collectorCode = branchFor(institute, input.collectorCode)
  return transact(ctx.db, command, async tx => {
    const fresh: store.Subscription = {
      id: newId('wh'),
      collectorCode,
      eventCode: input.eventCode,
      url: input.url,
      failureEmails: input.failureEmails,
      secretSealed: null,
      previousSecretSealed: null,
      previousSecretUntil: null,
      headerKey: null,
      headerValueSealed: null,
      createdAt: new Date(),
      disabledAt: null,
      disabledBecause: null,
      failuresInRow: 0,
      pausedUntil: null,
    }
    const added = applyChange(ctx, fresh, input)
    if (await store.insertSubscription(tx, institute.id, added)) return toSubscribed(added, null, input)
    const current = await store.lockActive(tx, institute.id, collectorCode, input.eventCode)
    // Disabled between the two statements: the caller's repeat will find the way clear.
    if (current === null)
      throw badRequest('The subscription was disabled at this moment. Send the request again.')
    const updated = applyChange(ctx, current, input)
    await store.updateSecrets(tx, institute.id, updated)
    // The engine reads deliveries that it holds for this subscription anew.
    tx.notify('deliveries')
    return toSubscribed(updated, current, input)
  })
}

export async function disableSubscription(
  ctx: Context,
  command: Command<store.Subscription>,
  institute: Institute,
  id: string,
): Promise<store.Subscription> {
  return transact(ctx.db, command, async tx => {
    const disabled = await store.disableSubscription(tx, institute.id, id, 'request')
    if (disabled === null)
      throw badRequest('There is no active subscription with this id. List Webhooks shows those there are.')
    await cancelWaiting(tx, institute.id, id)
    tx.notify('deliveries')
    return disabled
  })
}

export async function getSubscription(
  ctx: Context,
  institute: Institute,
  id: string,
): Promise<store.Subscription> {
  const subscription = await store.findSubscription(ctx.db, institute.id, id)
  if (subscription === null) throw notFound('This webhook subscription')
  return subscription
}

export async function listSubscriptions(
  ctx: Context,
  institute: Institute,
  { collectorCode, include }: { collectorCode?: string; include?: 'disabled' },
): Promise<store.Subscription[]> {
  return store.listSubscriptions(ctx.db, institute.id, {
    collectorCode: collectorCode === undefined ? null : branchFor(institute, collectorCode),
    withDisabled: include === 'disabled',
  })
}

/** The keys that sign now, the current one first. */
export function openSecrets(
  { vault }: Context,
  sealed: Pick<store.Subscription, 'id' | 'secretSealed' | 'previousSecretSealed'>,
): string[] {
  if (sealed.secretSealed === null) return []
  const keys = [sealed.secretSealed, sealed.previousSecretSealed].filter(key => key !== null)
  return keys.map(key => vault.open(key, purpose(sealed, 'secret')))
}

/** The custom header, sent only when name and value are both set. */
export function openHeader(
  { vault }: Context,
  sealed: Pick<store.Subscription, 'id' | 'headerKey' | 'headerValueSealed'>,
): { name: string; value: string } | null {
  if (sealed.headerKey === null || sealed.headerValueSealed === null) return null
  return { name: sealed.headerKey, value: vault.open(sealed.headerValueSealed, purpose(sealed, 'header')) }
}

/** Binds a sealed value to its row and column. */
function purpose(subscription: { id: string }, what: 'secret' | 'header'): string {
  return `webhook ${what} of ${subscription.id}`
}

function applyChange(
  { vault }: Context,
  subscription: store.Subscription,
  change: SubscriptionChange,
): store.Subscription {
  const seal = (plain: string, what: 'secret' | 'header') => vault.seal(plain, purpose(subscription, what))
  const changed = { ...subscription }
  if (change.headerKey !== undefined) changed.headerKey = change.headerKey
  if (change.headerValue !== undefined) {
    changed.headerValueSealed = change.headerValue === null ? null : seal(change.headerValue, 'header')
  }
  if (change.secretKey === null) {
    // A cleared key stops at once, and so does the one before it.
    return { ...changed, secretSealed: null, previousSecretSealed: null, previousSecretUntil: null }
  }
  if (change.secretKey === undefined) return changed
  const current = subscription.secretSealed
  if (current !== null && vault.open(current, purpose(subscription, 'secret')) === change.secretKey)
    return changed
  return {
    ...changed,
    secretSealed: seal(change.secretKey, 'secret'),
    previousSecretSealed: current,
    previousSecretUntil: current === null ? null : new Date(Date.now() + OLD_KEY_SIGNS_MS),
  }
}

function toSubscribed(
  subscription: store.Subscription,
  before: store.Subscription | null,
  input: NewSubscription,
): SavedSubscription {
  const message = remarks({
    update:
      before === null
        ? null
        : {
            secret: keyChange(before.secretSealed, subscription.secretSealed),
            isHeaderChanged:
              before.headerKey !== subscription.headerKey ||
              before.headerValueSealed !== subscription.headerValueSealed,
            isFixedChanged:
              subscription.url !== input.url || subscription.failureEmails !== input.failureEmails,
          },
    isHalfHeader: (subscription.headerKey === null) !== (subscription.headerValueSealed === null),
  })
  return { subscription, before, message }
}

/** One that was not touched is the same buffer. */
function keyChange(before: Buffer | null, after: Buffer | null): KeyChange {
  if (before === after) return 'kept'
  if (after === null) return 'cleared'
  return before === null ? 'set' : 'replaced'
}
