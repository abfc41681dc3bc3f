import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../platform/context.ts'

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
