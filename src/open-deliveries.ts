import type { Config } from './config.ts'
import type { Ground } from './platform/ground.ts'
import type { Log } from './platform/log.ts'
import { addressPolicy } from './platform/outbound-addresses.ts'
import { Outbound } from './platform/outbound.ts'
import { DeliveryEngine } from './webhooks/deliver.service.ts'

/** What delivers events to subscribers, over connections that reach only where this configuration lets them. */
export function openDeliveries(
  { mode, outbound: { allowed, nameServers }, webhooks }: Pick<Config, 'mode' | 'outbound' | 'webhooks'>,
  ground: Ground,
  log: Log,
): { deliveries: DeliveryEngine; closeDeliveries: () => Promise<void> } {
  const outbound = new Outbound({
    policy: addressPolicy({ mode, allowed }),
    ...(nameServers.length > 0 ? { nameServers } : {}),
    connectionsPerOrigin: webhooks.placesPerEndpoint,
  })
  const deliveries = new DeliveryEngine(ground, outbound, log, webhooks)
  const closeDeliveries = async (): Promise<void> => {
    await deliveries.stop()
    await outbound.close()
  }
  return { deliveries, closeDeliveries }
}
