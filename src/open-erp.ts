import type { Config } from './config.ts'
import type { Ground } from './platform/ground.ts'
import { addressPolicy } from './platform/outbound-addresses.ts'
import { Outbound } from './platform/outbound.ts'
import { ErpGate } from './students/erp-gate.ts'
import type { ErpGround } from './students/erp-line.ts'
import { MOST_CALLS } from './students/erp-settings.rules.ts'
import { ERP_TIMEOUT_MS } from './students/erp.client.ts'

/** What asks ERPs for students, over connections that reach only where this configuration lets them. */
export function openErp(
  { mode, outbound: { allowed, nameServers } }: Pick<Config, 'mode' | 'outbound'>,
  ground: Ground,
): { erpGround: ErpGround; closeErp: () => Promise<void> } {
  const outbound = new Outbound({
    policy: addressPolicy({ mode, allowed }),
    ...(nameServers.length > 0 ? { nameServers } : {}),
    // Gates count calls, each institute's own; connections must not be what they wait for, with the deadline running.
    connectionsPerOrigin: 4 * MOST_CALLS,
  })
  const erp = { outbound, gate: new ErpGate(ground.db.places), timeoutMs: ERP_TIMEOUT_MS }
  return { erpGround: Object.assign(ground, { erp }), closeErp: () => outbound.close() }
}
