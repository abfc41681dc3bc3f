import type { Institute } from '../institutes/institutes.rules.ts'
import { assertNever } from '../platform/assert.ts'
import { newId } from '../platform/ids.ts'
import type { CallLimit, ErpContext } from './context.ts'
import { authHeaders, type StoredSettings } from './settings/settings.service.ts'
import { fetchStudent } from './erp.client.ts'
import { fetchUrl, type LookupValues, type ErpAnswer } from './erp.rules.ts'
import type { Fetch, PullReason } from './pull/pull.store.ts'
import type { StudentChange } from '../students/profile/profile.rules.ts'

/** One ERP, ready to be asked: everything about a call but whom it asks for. */
export type ErpEndpoint = {
  institute: string
  settings: StoredSettings
  headers: Record<string, string>
  limit: Omit<CallLimit, 'isTest' | 'isForPerson'>
  isBranchRequired: boolean
}

export function endpointOf(ctx: ErpContext, institute: Institute, settings: StoredSettings): ErpEndpoint {
  const { collectorCode, url, maxCalls, updatedAt } = settings
  return {
    institute: institute.code,
    settings,
    headers: authHeaders(ctx, settings),
    limit: {
      target: `${institute.id} ${new URL(url).origin}`,
      maxCalls,
      circuit: `${institute.id} ${collectorCode ?? ''}`,
      version: updatedAt.getTime(),
    },
    // Settings of a branch say the branch; otherwise the contract has the ERP say it.
    isBranchRequired: collectorCode === null && institute.branches.length > 1,
  }
}

/** Asks, when there is a permit and the ERP is not resting. Never inside a transaction. */
export async function askErp(
  { erp }: ErpContext,
  endpoint: ErpEndpoint,
  asked: LookupValues,
  reason: PullReason,
): Promise<ErpAnswer> {
  const { settings, headers, isBranchRequired } = endpoint
  const call = {
    url: fetchUrl(settings.url, settings.lookup, asked),
    headers,
    asked,
    demands: { isBranchRequired, isScheduleRequired: settings.customSchedule },
    timeoutMs: erp.timeoutMs,
  }
  const isForPerson = reason !== 'presentation' && reason !== 'reminder'
  const answer = await erp.callLimiter.run(
    { ...endpoint.limit, isTest: reason === 'test', isForPerson },
    () => fetchStudent(erp.httpClient, call),
  )
  erp.calls.add(endpoint.institute, OUTCOMES[answer.kind])
  return answer
}

const OUTCOMES = { found: 'answered', refused: 'refused', unavailable: 'failed' } as const

export type FetchedFor = {
  instituteId: number
  studentId: string | null
  identifier: string
  reason: PullReason
  fetchedAt: Date
}

const MAX_LOGGED_PROBLEMS = 20

/** The log's row. */
export function toFetch(
  { instituteId, studentId, identifier, reason, fetchedAt }: FetchedFor,
  answer: ErpAnswer,
  changes: readonly StudentChange[],
): Fetch & { instituteId: number } {
  const common = {
    instituteId,
    id: newId('fetch'),
    studentId,
    identifier,
    reason,
    fetchedAt,
    durationMs: answer.durationMs,
    outcome: answer.kind,
    httpStatus: answer.httpStatus,
    changes,
  }
  switch (answer.kind) {
    case 'found':
      return { ...common, code: null, message: null, problems: [] }
    case 'refused':
      return { ...common, code: answer.code, message: answer.message, problems: [] }
    case 'unavailable':
      return {
        ...common,
        code: answer.reason,
        message: answer.message,
        problems: answer.problems.slice(0, MAX_LOGGED_PROBLEMS),
      }
    default:
      return assertNever(answer)
  }
}
