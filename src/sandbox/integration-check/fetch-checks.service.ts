import { testFetch, type FetchTest } from '../../erp/pull/log.service.ts'
import type { ErpRecord, NamedStudent, RefusalCode } from '../../erp/erp.rules.ts'
import type { CallsForCheck, Checking } from './calls.client.ts'
import {
  notRun,
  OUT_OF_TIME,
  toResult,
  describeAnswer,
  judgeFound,
  judgeProtection,
  judgeRefusal,
  judgeYear,
  type CheckCode,
  type CheckResult,
  type Exchange,
} from './check.rules.ts'

export type FetchChecks = {
  results: CheckResult[]
  /** The student of the first check, for the events that follow. */
  record: ErpRecord | null
}

/** Nobody has it: it is made of what no school makes identifiers of. */
const UNKNOWN = 'bursar-check-nobody'

/** The fetch-student endpoint in all its answers. */
export async function checkFetches(checking: Checking, calls: CallsForCheck): Promise<FetchChecks> {
  const { wanted } = checking
  const found = await ask(checking, { identifier: wanted.identifier })
  if (found.test.kind === 'not_configured') {
    const verdict = notRun(
      'No fetch URL is set: Set the fetch-student endpoint first, or check webhooks alone.',
    )
    return { results: FETCH_CODES.map(code => toResult(code, verdict)), record: null }
  }
  const { answer, url } = found.test
  const record = answer.kind === 'found' ? answer.record : null
  const results = [toResult('fetch_found', judgeFound(found.test, wanted.identifier), [found.exchange])]
  const open = await calls.get(url, 'without credentials', {})
  results.push(toResult('fetch_protected', judgeProtection(open.httpStatus), [open]))
  for (const [code, refusal, identifier] of [
    ['fetch_not_found', 'student_not_found', UNKNOWN],
    ['fetch_discontinued', 'student_discontinued', wanted.discontinuedIdentifier],
    ['fetch_transferred', 'student_transferred', wanted.transferredIdentifier],
    ['fetch_data_error', 'data_error', wanted.dataErrorIdentifier],
  ] as const)
    results.push(
      checking.isLate()
        ? toResult(code, OUT_OF_TIME)
        : await checkRefusal(checking, { code, refusal, identifier }),
    )
  results.push(
    checking.isLate() ? toResult('fetch_year_end', OUT_OF_TIME) : await checkYear(checking, record),
  )
  return { results, record }
}

const FETCH_CODES = [
  'fetch_found',
  'fetch_protected',
  'fetch_not_found',
  'fetch_discontinued',
  'fetch_transferred',
  'fetch_data_error',
  'fetch_year_end',
] as const

type RefusalCheck = { code: CheckCode; refusal: RefusalCode; identifier: string | undefined }

async function checkRefusal(
  checking: Checking,
  { code, refusal, identifier }: RefusalCheck,
): Promise<CheckResult> {
  if (identifier === undefined)
    return toResult(code, notRun(`Name a student of your test data for which your ERP answers ${refusal}.`))
  const { test, exchange } = await ask(checking, { identifier })
  if (test.kind === 'not_configured') return toResult(code, notRun('The fetch URL was removed meanwhile.'))
  return toResult(code, judgeRefusal(refusal, identifier, test.answer), [exchange])
}

async function checkYear(checking: Checking, record: ErpRecord | null): Promise<CheckResult> {
  if (record === null)
    return toResult('fetch_year_end', notRun('Needs a student who is found: see the first check.'))
  const { academicYearStart, academicYearEnd, grade } = record.identity
  const named = { identifier: record.identity.identifier, grade }
  const same = await ask(checking, { ...named, academicYearStart, academicYearEnd })
  const next = await ask(checking, {
    ...named,
    academicYearStart: academicYearStart + 1,
    academicYearEnd: academicYearEnd + 1,
  })
  if (same.test.kind === 'not_configured' || next.test.kind === 'not_configured')
    return toResult('fetch_year_end', notRun('The fetch URL was removed meanwhile.'))
  return toResult('fetch_year_end', judgeYear(record.identity, same.test, next.test), [
    same.exchange,
    next.exchange,
  ])
}

async function ask(
  { ctx, institute, wanted }: Checking,
  named: NamedStudent,
): Promise<{ test: FetchTest; exchange: Exchange }> {
  const test = await testFetch(ctx, { instituteId: institute.id }, institute, {
    ...named,
    collectorCode: wanted.collectorCode,
  })
  const exchange: Exchange =
    test.kind === 'not_configured'
      ? { method: 'GET', url: '', sent: '', httpStatus: null, received: '', durationMs: 0 }
      : {
          method: 'GET',
          url: test.url,
          sent: 'with your credentials',
          httpStatus: test.answer.httpStatus,
          received: describeAnswer(test.answer),
          durationMs: test.answer.durationMs,
        }
  return { test, exchange }
}
