import type { Ground } from '../platform/ground.ts'
import type { Outbound } from '../platform/outbound.ts'
import type { ErpGate } from './erp-gate.ts'

/** How ERPs are reached from this process. */
type ErpLine = {
  outbound: Outbound
  gate: ErpGate
  /** For one call in all. */
  timeoutMs: number
}

/** What services stand on that may ask an ERP. */
export type ErpGround = Ground & { erp: ErpLine }
