import type { ErpContext } from '../../erp/context.ts'
import { callHeaders } from '../../erp/settings/settings.service.ts'
import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import { API_VERSION } from '../../platform/api-version.ts'
import { badField, BursarError, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { listStudents } from '../../students/students.service.ts'
import { callsWith, type WantedCheck } from './calls.client.ts'
import { isWhole, PARTS } from './check.rules.ts'
import { checkFetches, checkWebhooks } from './checks.service.ts'
import { findLatest, insertCheck, type IntegrationCheck } from './integration-check.store.ts'

export type { IntegrationCheck } from './integration-check.store.ts'

const TIME_LIMIT_MS = 90_000

/** Institutes that are being checked by this process: a second check beside the first would disturb what it looks at. */
const underWay = new Set<number>()

/** Takes an integration through what it has to do, at the ERP's own addresses. Nothing is recorded but the result. */
export async function checkIntegration(
  ctx: ErpContext,
  command: Command<IntegrationCheck>,
  institute: Institute,
  wanted: WantedCheck,
): Promise<IntegrationCheck> {
  const collectorCode = branchFor(institute, wanted.collectorCode)
  if (underWay.has(institute.id))
    throw new BursarError(
      'HUE00002',
      'An integration check of this institute is running. Wait for its result.',
    )
  underWay.add(institute.id)
  try {
    const check = await runChecks(ctx, institute, { ...wanted, collectorCode })
    return await transact(ctx.db, command, async tx => {
      await insertCheck(tx, { ...check, instituteId: institute.id })
      return check
    })
  } finally {
    underWay.delete(institute.id)
  }
}

async function runChecks(
  ctx: ErpContext,
  institute: Institute,
  wanted: WantedCheck & { collectorCode: string },
): Promise<IntegrationCheck> {
  const { collectorCode, parts = PARTS } = wanted
  const deadline = Date.now() + TIME_LIMIT_MS
  const checking = { ctx, institute, wanted, isLate: () => Date.now() > deadline }
  const calls = callsWith(ctx.erp.httpClient)
  const books = await booksOf(ctx, institute, wanted)
  const fetches = parts.includes('fetch')
    ? await checkFetches(checking, calls)
    : { results: [], record: null }
  const about = {
    now: ctx.clock.now(),
    collectorCode,
    record: fetches.record,
    studentId: await findStudentId(ctx, institute, wanted.identifier),
  }
  const checks = [
    ...fetches.results,
    ...(parts.includes('webhooks') ? await checkWebhooks(checking, calls, { about, books }) : []),
  ]
  return {
    id: newId('check'),
    collectorCode,
    // Real time, not the sandbox's.
    checkedAt: new Date(),
    documentVersion: API_VERSION,
    hasPassed: isWhole(checks),
    checks,
  }
}

/** The ERP's credentials go along, so it has to be at the host that they were given for. */
async function booksOf(
  ctx: ErpContext,
  institute: Institute,
  { bookingsUrl, collectorCode }: WantedCheck,
): Promise<{ url: string; headers: Record<string, string> } | null> {
  if (bookingsUrl === undefined) return null
  const known = await callHeaders(ctx, institute, collectorCode)
  if (known === null) return { url: bookingsUrl, headers: {} }
  if (new URL(known.url).origin !== new URL(bookingsUrl).origin)
    throw badField(
      'bookings_url',
      'must be at the host of the fetch-student endpoint, whose credentials it is sent',
    )
  return { url: bookingsUrl, headers: known.headers }
}

async function findStudentId(
  ctx: ErpContext,
  institute: Institute,
  identifier: string,
): Promise<string | null> {
  const { rows } = await listStudents(ctx, institute, { identifier }, { limit: 1 })
  return rows[0]?.student.id ?? null
}

/** The last check, or the certificate: the last one that passed whole. */
export async function getLatestCheck(
  ctx: ErpContext,
  institute: Institute,
  { outcome, ...wanted }: { collectorCode?: string; outcome?: 'passed' },
): Promise<IntegrationCheck> {
  const collectorCode = branchFor(institute, wanted.collectorCode)
  const found = await findLatest(ctx.db, institute.id, collectorCode, { mustPass: outcome === 'passed' })
  if (found === null) throw notFound(outcome === 'passed' ? 'A check that passed' : 'An integration check')
  return found
}
