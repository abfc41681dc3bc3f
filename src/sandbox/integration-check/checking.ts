import type { ErpContext } from '../../erp/context.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Part } from './check.rules.ts'

export type WantedCheck = {
  identifier: string
  discontinuedIdentifier?: string
  transferredIdentifier?: string
  dataErrorIdentifier?: string
  bookingsUrl?: string
  collectorCode?: string
  parts?: readonly Part[]
}

/** One run of the check. */
export type Checking = {
  ctx: ErpContext
  institute: Institute
  wanted: WantedCheck
  isLate(): boolean
}
