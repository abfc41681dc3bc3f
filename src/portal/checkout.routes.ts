import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findInstitute } from '../institutes/institutes.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { stateAt, totalOf, type Order } from '../orders/orders.rules.ts'
import { findOrder } from '../orders/orders.service.ts'
import { assertNever } from '../platform/assert.ts'
import { formatMoment } from '../platform/calendar.ts'
import { BursarError } from '../platform/errors.ts'
import type { Ground } from '../platform/ground.ts'
import { isIdShaped } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { formatRupees } from '../platform/money.ts'
import { protectPages, sendPage } from './pages.ts'

/** The page behind `redirect_url`. */
export async function checkoutRoutes(app: FastifyInstance, ground: Ground, log: Log): Promise<void> {
  await protectPages(app, ground.mode)
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply, log))
  app.get<{ Params: { institute: string; order_id: string } }>(
    '/pay/:institute/:order_id',
    { schema: { hide: true } },
    async (request, reply) => {
      const { institute: code, order_id: id } = request.params
      const institute = isIdShaped(code) && isIdShaped(id) ? await findInstitute(ground, code) : null
      const order = institute === null ? null : await findOrder(ground, institute, id)
      if (institute === null || order === null) return sendWrongLink(reply)
      return sendOrder(reply, ground, institute, order)
    },
  )
}

function sendOrder(reply: FastifyReply, ground: Ground, institute: Institute, order: Order): FastifyReply {
  const now = ground.clock.now()
  const state = stateAt(order, now)
  const branch = institute.branches.find(candidate => candidate.collectorCode === order.collectorCode)
  return sendPage(reply, {
    template: './order',
    title: `Fees, ${institute.name}`,
    data: {
      institute: institute.name,
      branch: institute.branches.length > 1 ? branch?.name : undefined,
      student: order.studentName ?? order.identifier,
      isSandbox: ground.mode === 'sandbox',
      total: formatRupees(totalOf(order)),
      lines: order.lines.map(line => ({
        label: readable(line.componentType),
        amount: formatRupees(line.amountPaise),
      })),
      ...words(order, state),
      reference: order.id,
    },
  })
}

function words(
  order: Order,
  state: ReturnType<typeof stateAt>,
): { state: string; statusText: string; say: string } {
  switch (state) {
    case 'unpaid':
      return { state, statusText: 'To pay', say: unpaidText(order) }
    case 'paid':
      return { state, statusText: 'Paid', say: `Paid on ${formatMoment(order.paidAt ?? order.createdAt)}.` }
    case 'expired':
      return {
        state,
        statusText: 'Expired',
        say: 'This page no longer takes payments. No money has been taken. Ask the institute for a new link.',
      }
    case 'cancelled':
      return {
        state,
        statusText: order.kind === 'link' ? 'Cancelled' : 'Closed',
        say: 'The institute has withdrawn this request. No money has been taken. Ask them if you think this is a mistake.',
      }
    default:
      return assertNever(state)
  }
}

function unpaidText(order: Order): string {
  return order.expiresAt === null
    ? 'These fees are due.'
    : `These fees are due; they can be paid here until ${formatMoment(order.expiresAt)}.`
}

function sendWrongLink(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    template: './message',
    title: 'Page not found',
    status: 404,
    data: {
      heading: 'We do not know this link',
      say: 'Check that the whole link was copied, or ask the institute to send it again. No money has been taken.',
    },
  })
}

/** A parent sees a page, never JSON: what happened, whether money moved, what to do, what to quote. */
function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const isAway = error instanceof BursarError && error.code === 'SYE00001'
  log.error({ request_id: request.id, route: request.routeOptions.url, err: error }, 'page failed')
  return sendPage(reply, {
    template: './message',
    title: 'Please try again',
    status: isAway ? 503 : 500,
    data: {
      heading: 'We cannot show this page right now',
      say: 'No money has been taken. Please try again in a minute.',
      reference: request.id,
    },
  })
}

/** TUITION_FEE reads as Tuition fee; anything else is shown as the institute wrote it. */
function readable(code: string): string {
  if (!/^[A-Z0-9_]+$/.test(code)) return code
  const words = code.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
