import type { Config } from './config.ts'
import type { Context } from '../platform/context.ts'
import type { Log } from '../platform/log.ts'
import { addressPolicy } from '../platform/http-client/addresses.ts'
import { HttpClient } from '../platform/http-client/http-client.ts'
import { DeliveryEngine } from '../webhooks/engine/delivery-engine.service.ts'

/** What delivers events to subscribers, over connections that reach only where this configuration lets them. */
export function openDeliveries(
  { mode, outbound: { allowed, nameServers }, webhooks }: Pick<Config, 'mode' | 'outbound' | 'webhooks'>,
  ctx: Context,
  log: Log,
): { deliveries: DeliveryEngine; closeDeliveries: () => Promise<void> } {
  const outbound = new HttpClient({
    policy: addressPolicy({ mode, allowed }),
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
