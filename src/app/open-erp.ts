import type { Config } from './config.ts'
import type { Context } from '../platform/context.ts'
import { addressPolicy } from '../platform/http-client/addresses.ts'
import { HttpClient } from '../platform/http-client/http-client.ts'
import { ErpGate } from '../erp/call-limiter.ts'
import type { ErpContext } from '../erp/context.ts'
import { MOST_CALLS } from '../erp/settings/settings.rules.ts'
import { ERP_TIMEOUT_MS } from '../erp/erp.client.ts'

/** What asks ERPs for students, over connections that reach only where this configuration lets them. */
export function openErp(
  { mode, outbound: { allowed, nameServers } }: Pick<Config, 'mode' | 'outbound'>,
  ctx: Context,
): { ctx: ErpContext; closeErp: () => Promise<void> } {
  const outbound = new HttpClient({
    policy: addressPolicy({ mode, allowed }),
    ...(nameServers.length > 0 ? { nameServers } : {}),
    // Gates count calls, each institute's own; connections must not be what they wait for, with the deadline running.
    connectionsPerOrigin: 4 * MOST_CALLS,
  })
  const erp = { outbound, gate: new ErpGate(ctx.db.places), timeoutMs: ERP_TIMEOUT_MS }
  return { ctx: Object.assign(ctx, { erp }), closeErp: () => outbound.close() }
}
