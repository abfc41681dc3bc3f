import { createHmac } from 'node:crypto'
import { posterPath, posterUrl } from '../../dues/poster/poster.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { readCallbackKey } from '../../institutes/institutes.service.ts'
import { statusAt, type OrderToPay } from '../../orders/orders.rules.ts'
import type { Context } from '../../platform/context.ts'

/** Path of the signed-in parents' pages. */
export const OWN_PAGES = '/parents/'

/** Paid on the page of the school's poster, by somebody who may not know the child's name. */
export function isFromPoster(
  ctx: Pick<Context, 'publicUrl'>,
  institute: Institute,
  { callbackUrl }: Pick<OrderToPay, 'callbackUrl'>,
): boolean {
  return callbackUrl === posterUrl(ctx, institute)
}

/**
 * The callback_url of the order with status and signature, so that the institute's page can trust what it shows. It is
 * for navigation only: proof of payment is reading the order.
 */
export async function callbackUrlFor(
  ctx: Context,
  institute: Institute,
  order: OrderToPay,
): Promise<string | null> {
  if (order.callbackUrl === null) return null
  // Our own pages read the order themselves and need no signature.
  const own = `${ctx.publicUrl}${OWN_PAGES}`
  if (order.callbackUrl.startsWith(own)) {
    const path = order.callbackUrl.slice(ctx.publicUrl.length)
    return order.state === 'paid' ? `${path}?paid=${order.id}` : path
  }
  if (isFromPoster(ctx, institute, order)) return posterPath(institute)
  const status = statusAt(order, ctx.clock.now())
  const key = await readCallbackKey(ctx, institute)
  const url = new URL(order.callbackUrl)
  url.searchParams.set('order_id', order.id)
  url.searchParams.set('status', status)
  url.searchParams.set('signature', createHmac('sha256', key).update(`${order.id}|${status}`).digest('hex'))
  return url.toString()
}
