import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Institute } from '../institutes/institutes.rules.ts'
import { findInstitute } from '../institutes/institutes.service.ts'
import { formatMoment } from '../platform/calendar.ts'
import { BursarError } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { isIdShaped } from '../platform/ids.ts'
import {
  getDelivery,
  redeliver,
  type Delivery,
  isLinkKey,
} from '../webhooks/delivery-log/deliveries.service.ts'
import { formField, languageOf, sendPage, sendWrongLink } from './layout.ts'

const URL_PATH = '/webhooks/:institute/deliveries/:delivery_id'
const REFRESH_SECONDS = 5

type SharedDelivery = { institute: Institute; delivery: Delivery; key: string }

/**
 * The page that failure mails link to: one delivery with its attempts and a button to send it again. The signed link is
 * the only credential, so the page shows ids and codes only; response bodies need an API key.
 */
export function deliveryPages(app: FastifyInstance, ctx: Context): void {
  app.get(URL_PATH, async (request, reply) => {
    const { key } = request.query as { key?: unknown }
    const found = await find(ctx, request, key)
    return found === null ? sendWrongLink(request, reply) : show(found, request, reply)
  })
  app.post(URL_PATH, async (request, reply) => {
    const found = await find(ctx, request, formField(request, 'key'))
    if (found === null) return sendWrongLink(request, reply)
    const { institute, delivery, key } = found
    try {
      await redeliver(ctx, { instituteId: institute.id }, institute, delivery.id)
    } catch (error) {
      if (!(error instanceof BursarError) || error.code !== 'HUE00002') throw error
      return show(found, request, reply, error.message)
    }
    return reply.redirect(`/webhooks/${institute.code}/deliveries/${delivery.id}?key=${key}`, 303)
  })
}

async function find(ctx: Context, request: FastifyRequest, key: unknown): Promise<SharedDelivery | null> {
  const { institute: code, delivery_id: id } = request.params as { institute: string; delivery_id: string }
  if (typeof key !== 'string' || !isIdShaped(code) || !isIdShaped(id) || !isLinkKey(ctx, code, id, key))
    return null
  const institute = await findInstitute(ctx, code)
  if (institute === null) return null
  try {
    return { institute, delivery: await getDelivery(ctx, institute, id), key }
  } catch (error) {
    // Deliveries leave the log after some months.
    if (error instanceof BursarError && error.code === 'HUE00001') return null
    throw error
  }
}

function show(
  { institute, delivery, key }: SharedDelivery,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: string,
): FastifyReply {
  const isWaiting = delivery.state === 'pending' || delivery.state === 'retrying'
  return sendPage(reply, {
    template: 'delivery',
    title: `Delivery of ${delivery.eventCode}`,
    language: languageOf(request, reply),
    hasSwitch: false,
    refreshSeconds: isWaiting ? REFRESH_SECONDS : undefined,
    data: {
      institute: institute.name,
      ...STATES[delivery.state],
      eventCode: delivery.eventCode,
      ids: [delivery.id, delivery.eventId, delivery.webhookId],
      nextAt: delivery.nextAttemptAt === null ? undefined : formatMoment(delivery.nextAttemptAt),
      attempts: delivery.attempts.map((attempt, index) => ({
        number: index + 1,
        at: formatMoment(new Date(attempt.attempted_at)),
        took: attempt.duration_ms === undefined ? undefined : `${attempt.duration_ms} ms`,
        result: attempt.problem ?? `Received (status ${attempt.http_status}).`,
      })),
      action: `/webhooks/${institute.code}/deliveries/${delivery.id}`,
      key,
      problem,
    },
  })
}

const STATES: Record<Delivery['state'], { statusText: string; tone: string; say: string }> = {
  pending: { statusText: 'Waiting', tone: 'unpaid', say: 'The first attempt has not been made yet.' },
  retrying: {
    statusText: 'Retrying',
    tone: 'unpaid',
    say: 'It has not been received yet and will be retried.',
  },
  delivered: { statusText: 'Delivered', tone: 'paid', say: 'The endpoint has received it.' },
  exhausted: {
    statusText: 'Given up',
    tone: 'failed',
    say: 'No attempt was received. It will not be retried automatically.',
  },
  cancelled: {
    statusText: 'Cancelled',
    tone: 'cancelled',
    say: 'The webhook was disabled before it was received.',
  },
}
