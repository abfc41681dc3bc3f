import type { Config } from './config.ts'
import type { Context } from '../platform/context.ts'
import type { Log } from '../platform/log.ts'
import { HttpClient } from '../platform/http-client/http-client.ts'
import { DeliveryEngine } from '../webhooks/engine/delivery-engine.service.ts'

/** What delivers events to subscribers, over connections that reach only where this configuration lets them. */
export function openDeliveries(
  { outbound: { nameServers }, webhooks }: Pick<Config, 'outbound' | 'webhooks'>,
  ctx: Context,
  log: Log,
): { deliveries: DeliveryEngine; closeDeliveries: () => Promise<void> } {
  const outbound = new HttpClient({
    policy: ctx.addressPolicy,
    ...(nameServers.length > 0 ? { nameServers } : {}),
    connectionsPerOrigin: webhooks.slotsPerEndpoint,
  })
  const deliveries = new DeliveryEngine(ctx, outbound, log, webhooks)
  const closeDeliveries = async (): Promise<void> => {
    await deliveries.stop()
    await outbound.close()
  }
  return { deliveries, closeDeliveries }
}
