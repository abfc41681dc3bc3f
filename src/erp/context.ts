import type { CallCounts } from '../platform/call-counts.ts'
import type { Context } from '../platform/context.ts'
import type { HttpClient } from '../platform/http-client/http-client.ts'
import type { FieldProblem } from '../platform/errors.ts'
import type { ErpCallLimiter } from './call-limiter.ts'
import type { ScheduleRow } from './erp.rules.ts'

/** How ERPs are reached from this process. */
type ErpCalls = {
  httpClient: HttpClient
  callLimiter: ErpCallLimiter
  /** One ERP call in all may take this long. */
  timeoutMs: number
  /** Where calls are counted, by the institute. */
  calls: CallCounts
  /** What a plan of the student would make of a schedule otherwise than it says. */
  findPlanDifferences(
    student: { instituteId: number; studentId: string },
    rows: readonly ScheduleRow[],
  ): Promise<FieldProblem[]>
}

/** What services stand on that may ask an ERP. */
export type ErpContext = Context & { readonly erp: ErpCalls }
