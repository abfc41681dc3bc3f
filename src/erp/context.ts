import type { Context } from '../platform/context.ts'
import type { HttpClient } from '../platform/http-client/http-client.ts'
import type { ErpCallLimiter } from './call-limiter.ts'

/** How ERPs are reached from this process. */
type ErpCalls = {
  httpClient: HttpClient
  callLimiter: ErpCallLimiter
  /** For one call in all. */
  timeoutMs: number
}

/** What services stand on that may ask an ERP. */
export type ErpContext = Context & { readonly erp: ErpCalls }
