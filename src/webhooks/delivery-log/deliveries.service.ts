import type { Institute } from '../../institutes/institutes.rules.ts'
import { TEST_CODE } from '../../events/define-event.ts'
import { recordEvents } from '../../events/events.service.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { firstIdAt, newId } from '../../platform/ids.ts'
import { testPayload } from '../events.docs.ts'
import * as store from './deliveries.store.ts'
import {
  findSubscription,
  lockSubscription,
  type Subscription,
} from '../subscriptions/subscriptions.store.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'

export type { Delivery } from './deliveries.store.ts'

export async function getDelivery(
  { db }: Context,
  institute: Institute,
  id: string,
): Promise<store.Delivery> {
  const delivery = await store.findDelivery(db, institute.id, id)
  if (delivery === null) throw notFound('This delivery')
  return delivery
}

const MOST_ATTEMPTS = 100

/** Sends a delivery once more, whatever became of it: the same delivery, one attempt more, the schedule from its start. */
export async function redeliver(
  ctx: Context,
  command: Command<store.Delivery>,
  institute: Institute,
  id: string,
): Promise<store.Delivery> {
  return transact(ctx.db, command, async tx => {
    const delivery = await store.findDelivery(tx, institute.id, id)
    if (delivery === null) throw notFound('This delivery')
    await lockSubscription(tx, institute.id, delivery.webhookId)
    await requireActive(tx, institute, delivery.webhookId)
    if (delivery.attempts.length >= MOST_ATTEMPTS) {
      throw conflict(`It was attempted ${delivery.attempts.length} times, and that is the most there can be.`)
    }
    if (!(await store.sendAgain(tx, institute.id, id))) {
      throw conflict('An attempt of this delivery is under way. Look at its result first.')
    }
    tx.notify('deliveries')
    return requireDelivery(tx, institute.id, id)
  })
}

/** Sends `webhook.test` to one subscription: nothing happened, and nothing in it looks as if money had moved. */
export async function sendTest(
  ctx: Context,
  command: Command<store.Delivery>,
  institute: Institute,
  webhookId: string,
): Promise<store.Delivery> {
  return transact(ctx.db, command, async tx => {
    const subscription = await requireActive(tx, institute, webhookId)
    const [eventId = ''] = await recordEvents(tx, [
      {
        code: TEST_CODE,
        instituteId: institute.id,
        collectorCode: subscription.collectorCode,
        resourceId: webhookId,
        occurredAt: ctx.clock.now(),
        payload: testPayload.toJson({ webhookId, eventCode: subscription.eventCode }),
      },
    ])
    const id = newId('dlv')
    await store.insertAskedFor(tx, { instituteId: institute.id, webhookId, id, eventId })
    tx.notify('deliveries')
    return requireDelivery(tx, institute.id, id)
  })
}

const RECOVER_AT_ONCE = 5_000
/** The log keeps four months at least, whatever the settings. */
const KEPT_DAYS = 90
const HOUR_MS = 3_600_000

/**
 * Sends again whatever failed since a moment: given up under this subscription, given up or cancelled under an earlier
 * one to the same events that was disabled, or recorded after that while nobody was subscribed. Answers how many
 * deliveries that makes.
 */
export async function recoverFailed(
  ctx: Context,
  command: Command<number>,
  institute: Institute,
  asked: { webhookId: string; since: Date },
): Promise<number> {
  if (asked.since.getTime() > Date.now()) throw badField('since', 'is in the future')
  return transact(ctx.db, command, async tx => {
    // One at a time: two would each find the same events missing.
    await lockSubscription(tx, institute.id, asked.webhookId)
    await requireActive(tx, institute, asked.webhookId)
    const target = { instituteId: institute.id, ...asked }
    let count = await store.retryExhausted(tx, target)
    const page = { firstId: firstIdAt('evt', firstKept(asked.since)), afterId: '', limit: RECOVER_AT_ONCE }
    for (let batch = RECOVER_AT_ONCE; batch === RECOVER_AT_ONCE;) {
      const missed = await store.listMissed(tx, target, page)
      const deliveries = missed.map(eventId => ({ id: newId('dlv'), eventId }))
      await store.insertDeliveries(tx, target, deliveries)
      batch = missed.length
      count += batch
      page.afterId = missed.at(-1) ?? page.afterId
    }
    await store.liftPause(tx, institute.id, asked.webhookId)
    tx.notify('deliveries')
    return count
  })
}

/** Whether a delivery whose id is below is still to be sent, so that it may not leave the log. */
export async function areDeliveriesNeeded(db: Queryable, belowId: string): Promise<boolean> {
  return store.isWaitingBelow(db, belowId)
}

/** Whether a delivery in the log is of an event whose id is below, so that the event may not leave its own. */
export async function areEventsNeeded(db: Queryable, belowId: string): Promise<boolean> {
  return store.isOfEventBelow(db, belowId)
}

/** A day within the log, so that what is forgotten meanwhile is not taken for what was never sent. */
function firstKept(since: Date): Date {
  const kept = Date.now() - (KEPT_DAYS - 1) * DAY_MS
  // Ids are made by our clock and dated by the database's; an hour is more than they ever differ.
  return new Date(Math.max(since.getTime() - HOUR_MS, kept))
}

async function requireActive(
  tx: Transaction,
  institute: Institute,
  webhookId: string,
): Promise<Subscription> {
  const subscription = await findSubscription(tx, institute.id, webhookId)
  if (subscription === null) throw notFound('This webhook subscription')
  if (subscription.disabledAt !== null) {
    throw conflict(
      'This subscription is disabled, so nothing is sent to it. Add the webhook again, unless you have, and recover there what was not received.',
    )
  }
  return subscription
}

async function requireDelivery(tx: Transaction, instituteId: number, id: string): Promise<store.Delivery> {
  const delivery = await store.findDelivery(tx, instituteId, id)
  if (delivery === null) throw new Error(`the delivery ${id} is gone`)
  return delivery
}

/** The address of a delivery's page: recipients of the mail may look and send again, nobody else can guess it. */
export function deliveryLink(ctx: Context, instituteCode: string, deliveryId: string): string {
  return `${ctx.publicUrl}/webhooks/${instituteCode}/deliveries/${deliveryId}?key=${linkKey(ctx, instituteCode, deliveryId)}`
}

export function isLinkKey(ctx: Context, instituteCode: string, deliveryId: string, key: string): boolean {
  const right = Buffer.from(linkKey(ctx, instituteCode, deliveryId))
  const given = Buffer.from(key)
  return given.length === right.length && timingSafeEqual(given, right)
}

function linkKey({ vault }: Context, instituteCode: string, deliveryId: string): string {
  const mac = createHmac('sha256', vault.deriveKey('delivery link'))
  return mac.update(`${instituteCode} ${deliveryId}`).digest('base64url').slice(0, 32)
}
