import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Ground } from '../../platform/context.ts'

/** The address of a delivery's page: whoever was mailed it may look and send again, nobody else can guess it. */
export function deliveryLink(ground: Ground, instituteCode: string, deliveryId: string): string {
  return `${ground.publicUrl}/webhooks/${instituteCode}/deliveries/${deliveryId}?key=${linkKey(ground, instituteCode, deliveryId)}`
}

export function isLinkKey(ground: Ground, instituteCode: string, deliveryId: string, key: string): boolean {
  const right = Buffer.from(linkKey(ground, instituteCode, deliveryId))
  const given = Buffer.from(key)
  return given.length === right.length && timingSafeEqual(given, right)
}

function linkKey({ vault }: Ground, instituteCode: string, deliveryId: string): string {
  const mac = createHmac('sha256', vault.deriveKey('delivery link'))
  return mac.update(`${instituteCode} ${deliveryId}`).digest('base64url').slice(0, 32)
}
