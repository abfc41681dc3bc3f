import { setTimeout as wait } from 'node:timers/promises'
import type { ErpContext } from '../../erp/context.ts'
import type { ErpRecord, NamedStudent, RefusalCode } from '../../erp/erp.rules.ts'
import { type FetchTest, testFetch } from '../../erp/pull/pull.service.ts'
import { callHeaders } from '../../erp/settings/settings.service.ts'
import type { EventCode } from '../../events/define-event.ts'
import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import { API_VERSION } from '../../platform/api-version.ts'
import { badField, BursarError, notFound } from '../../platform/errors.ts'
import { type Command, transact } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { addAll } from '../../platform/lists.ts'
import { type CallsForCheck, callsWith, type Checking, type WantedCheck } from './calls.client.ts'
import {
  type CheckSubject,
  type CheckCode,
  type CheckResult,
  describeAnswer,
  differenceIn,
  type Exchange,
  type Expected,
  failed,
  isWhole,
  judgeAccepted,
  judgeFound,
  judgeProtection,
  judgeRefusal,
  judgeRefused,
  judgeYear,
  type MadeUp,
  makeEvent,
  makePayment,
  makeRefund,
  notRun,
  OUT_OF_TIME,
  PARTS,
  passed,
  paymentOf,
  refundOf,
  toResult,
  type Verdict,
} from './check.rules.ts'
import { findLatest, insertCheck, type IntegrationCheck } from './integration-check.store.ts'
import { studentRecords } from '../../students/student.list.ts'
import { type Keys, makeKeys } from '../../webhooks/engine/send.ts'
import {
  listSubscriptions,
  openHeader,
  openSecrets,
} from '../../webhooks/subscriptions/subscriptions.service.ts'

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
  const { rows } = await studentRecords.page(ctx, institute, { identifier }, { limit: 1 })
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

type FetchChecks = {
  results: CheckResult[]
  /** The student of the first check, for the events that follow. */
  record: ErpRecord | null
}

/** Nobody has it: it is made of what no school makes identifiers of. */
const UNKNOWN = 'bursar-check-nobody'

/** The fetch-student endpoint in all its answers. */
async function checkFetches(checking: Checking, calls: CallsForCheck): Promise<FetchChecks> {
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

const NEEDED = [
  'pay.payment.debited',
  'refund.processed',
  'flex.instalment.debited',
  'flex.instalment.skipped',
] as const
type NeededEvent = (typeof NEEDED)[number]

type ReceiverAddress = { url: string; keys: Keys }
type Receiving = {
  calls: CallsForCheck
  about: CheckSubject
  books: { url: string; headers: Record<string, string> } | null
  places: Readonly<Record<NeededEvent, ReceiverAddress>>
}

const WEBHOOK_CODES = [
  'webhook_accepted',
  'webhook_signature',
  'webhook_repeat',
  'webhook_retry',
  'webhook_refund',
  'webhook_out_of_order',
  'webhook_skipped',
] as const

/** The webhook receiver, by deliveries signed with its own secrets. */
async function checkWebhooks(
  checking: Checking,
  calls: CallsForCheck,
  { about, books }: Pick<Receiving, 'about' | 'books'>,
): Promise<CheckResult[]> {
  const found = await findPlaces(checking, about.collectorCode)
  if (typeof found === 'string') {
    const verdict = notRun('Needs the subscriptions: see the check before.')
    return [
      toResult('webhook_subscribed', failed(found)),
      ...WEBHOOK_CODES.map(code => toResult(code, verdict)),
    ]
  }
  const receiving = { calls, about, books, places: found }
  const results = [toResult('webhook_subscribed', passed(`Subscribed: ${NEEDED.join(', ')}.`))]
  for (const code of WEBHOOK_CODES)
    results.push(checking.isLate() ? toResult(code, OUT_OF_TIME) : await RUN[code](receiving, code))
  return results
}

async function findPlaces(
  { ctx, institute }: Checking,
  collectorCode: string,
): Promise<Record<NeededEvent, ReceiverAddress> | string> {
  const active = await listSubscriptions(ctx, institute, { collectorCode })
  const places: Partial<Record<NeededEvent, ReceiverAddress>> = {}
  for (const code of NEEDED) {
    const subscription = active.find(({ eventCode }) => eventCode === code)
    if (subscription === undefined)
      return `There is no webhook for ${code}: Add Webhook with your URL and a secret_key.`
    const secrets = openSecrets(ctx, subscription)
    if (secrets.length === 0)
      return `The webhook for ${code} has no secret_key: you cannot tell our deliveries from anybody's. Add Webhook again with one.`
    places[code] = { url: subscription.url, keys: makeKeys(secrets, openHeader(ctx, subscription)) }
  }
  return places as Record<NeededEvent, ReceiverAddress>
}

type Run = (receiving: Receiving, code: CheckCode) => Promise<CheckResult>

const RUN: Readonly<Record<(typeof WEBHOOK_CODES)[number], Run>> = {
  webhook_accepted: (receiving, code) => {
    const paid = makePayment('pay.payment.debited', receiving.about, 1)
    return checkBooked(receiving, code, [[['pay.payment.debited', paid]]], [paymentOf(paid)])
  },
  webhook_signature: checkSignature,
  webhook_repeat: (receiving, code) => {
    const paid = makePayment('pay.payment.debited', receiving.about, 1)
    const sent = ['pay.payment.debited', paid] as const
    return checkBooked(receiving, code, [[sent, sent, sent]], [paymentOf(paid)])
  },
  webhook_retry: (receiving, code) => {
    const paid = makePayment('pay.payment.debited', receiving.about, 1)
    const sent = ['pay.payment.debited', paid] as const
    return checkBooked(receiving, code, [[sent], [sent]], [paymentOf(paid)])
  },
  webhook_refund: (receiving, code) => checkRefund(receiving, code, 'payment first'),
  webhook_out_of_order: (receiving, code) => checkRefund(receiving, code, 'refund first'),
  webhook_skipped: checkSkipped,
}

async function checkRefund(
  receiving: Receiving,
  code: CheckCode,
  order: 'payment first' | 'refund first',
): Promise<CheckResult> {
  const paid = makePayment('pay.payment.debited', receiving.about, 1)
  const refund = makeRefund(paid, receiving.about, 2)
  const [payment, back] = [['pay.payment.debited', paid] as const, ['refund.processed', refund] as const]
  const steps = order === 'payment first' ? [[payment], [back], [back]] : [[back], [payment]]
  return checkBooked(receiving, code, steps, [paymentOf(paid), refundOf(refund)])
}

/** Then the debit of the same instalment. */
async function checkSkipped(receiving: Receiving, code: CheckCode): Promise<CheckResult> {
  const skipped = makeEvent('flex.instalment.skipped', receiving.about, 1)
  const debited = makePayment('flex.instalment.debited', receiving.about, 2, {
    subscription: skipped.payload['subscription'],
    instalment: { ...(skipped.payload['instalment'] as object), status: 'debited', attempt: 1 },
  })
  const steps: Step[] = [[['flex.instalment.skipped', skipped]], [['flex.instalment.debited', debited]]]
  return checkBooked(receiving, code, steps, [paymentOf(debited)])
}

type EventToSend = readonly [NeededEvent & EventCode, MadeUp]
/** Events that are sent at the same moment. */
type Step = readonly EventToSend[]

/** Sends step by step, each time with a later timestamp and so another signature, and looks into the books. */
async function checkBooked(
  receiving: Receiving,
  code: CheckCode,
  steps: readonly Step[],
  expected: readonly Expected[],
): Promise<CheckResult> {
  const exchanges: Exchange[] = []
  for (const [index, step] of steps.entries()) {
    const at = new Date(Date.now() + index * 1_000)
    const answers = await Promise.all(
      step.map(([eventCode, { eventId, body }]) =>
        receiving.calls.deliver({ ...receiving.places[eventCode], eventId, body, at, what: eventCode }),
      ),
    )
    addAll(exchanges, answers)
    const refused = answers.map(judgeAccepted).find(verdict => verdict !== null)
    if (refused !== undefined) return toResult(code, refused, exchanges)
  }
  return toResult(code, await judgeBooks(receiving, expected), exchanges)
}

const FALSE_KEYS = makeKeys(['bursar-check-a-key-of-somebody-else'], null)
const NO_KEYS = makeKeys([], null)

async function checkSignature(receiving: Receiving, code: CheckCode): Promise<CheckResult> {
  const { url, keys } = receiving.places['pay.payment.debited']
  const exchanges: Exchange[] = []
  const make = () => makePayment('pay.payment.debited', receiving.about, 1)
  const altered = make()
  const changed = Buffer.from(altered.body.toString().replaceAll('12345.67', '92345.67'))
  // Forgers may know the custom header, so all of these carry it.
  const signed = { headers: keys.headers, excerptOf: keys.excerptOf }
  for (const { what, event, ...delivery } of [
    { what: 'signed with another key', event: make(), keys: { ...signed, signing: FALSE_KEYS.signing } },
    { what: 'without a signature', event: make(), keys: { ...signed, signing: NO_KEYS.signing } },
    { what: 'altered after it was signed', event: altered, altered: changed, keys },
  ]) {
    const { eventId, body } = event
    const answer = await receiving.calls.deliver({ ...delivery, url, eventId, body, what })
    exchanges.push(answer)
    const wrong = judgeRefused(answer, what) ?? (await judgeUnbooked(receiving, paymentOf(event), what))
    if (wrong !== null) return toResult(code, wrong, exchanges)
  }
  return toResult(code, passed('Refused: another key, no signature, an altered body.'), exchanges)
}

const PATIENCE_MS = 5_000
const PAUSE_MS = 250

/** An ERP may answer first and book afterwards; and a second booking may come after the first. */
async function judgeBooks({ books, calls }: Receiving, expected: readonly Expected[]): Promise<Verdict> {
  const [{ id } = { id: '' }] = expected
  if (books === null)
    return {
      outcome: 'unproven',
      message: `Accepted. Look up payment ${id} in your ERP, or name a bookings_url that shows what is booked of a payment.`,
    }
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const read = await calls.readBooks(books.url, books.headers, id)
    if (read.kind === 'unreadable') return failed(`${read.message}.`)
    const difference = differenceIn(read.bookings, expected)
    if (difference === null) break
    if (!difference.mayPass || Date.now() > deadline) return failed(difference.message)
    await wait(PAUSE_MS)
  }
  await wait(PAUSE_MS)
  const again = await calls.readBooks(books.url, books.headers, id)
  const difference = again.kind === 'read' ? differenceIn(again.bookings, expected) : again
  return difference === null
    ? passed('Accepted, and in your books once, to the paisa.')
    : failed(difference.message)
}

async function judgeUnbooked(
  { books, calls }: Receiving,
  { id }: Expected,
  what: string,
): Promise<Verdict | null> {
  if (books === null) return null
  const read = await calls.readBooks(books.url, books.headers, id)
  if (read.kind === 'unreadable') return failed(`${read.message}.`)
  if (read.bookings.length === 0) return null
  return failed(`A delivery ${what} was refused, and its payment is in your books: verify before you book.`)
}
