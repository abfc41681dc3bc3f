import type { Ground } from '../platform/context.ts'
import type { Outbound } from '../platform/http-client/http-client.ts'
import type { ErpGate } from './call-limiter.ts'

/** How ERPs are reached from this process. */
type ErpLine = {
  outbound: Outbound
  gate: ErpGate
  /** For one call in all. */
  timeoutMs: number
}

/** What services stand on that may ask an ERP. */
export type ErpGround = Ground & { erp: ErpLine }
