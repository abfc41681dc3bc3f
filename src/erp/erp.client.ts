import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { BursarError, type FieldProblem } from '../platform/errors.ts'
import { type HttpResult, mergeHeaders, type HttpClient } from '../platform/http-client/http-client.ts'
import { parseAnswer } from '../platform/json.rules.ts'
import { readRecord, readRefusal, type Demands } from './record.input.ts'
import { unavailableBecause, type LookupValues, type ErpAnswer, type UnavailableReason } from './erp.rules.ts'
import { feeProblems } from '../fees/fees.rules.ts'

/** The limit counts the decoded body, so a small compressed one cannot grow past it. */
const MAX_ANSWER_BYTES = 256 * 1_024

/** What the ERP's answer says, whatever came: a record, a refusal, or why it is neither. */
export function understand(result: HttpResult, asked: LookupValues, demands: Demands): ErpAnswer {
  const { durationMs } = result
  if (result.kind === 'failed') return unavailableBecause(result.reason, result.message, { durationMs })
  const { httpStatus } = result
  const unavailable = (reason: UnavailableReason, message: string, problems: readonly FieldProblem[] = []) =>
    unavailableBecause(reason, message, { httpStatus, durationMs, problems })
  if (httpStatus !== 200 && httpStatus !== 422) {
    const { reason, message } = judgeStatus(httpStatus)
    return unavailable(reason, message)
  }
  const decoded = decodeBody(result.body, result.headers['content-encoding'], MAX_ANSWER_BYTES)
  if (result.isTruncated || decoded.kind === 'too_large')
    return unavailable('too_large', 'The answer is larger than 256 KiB.')
  if (decoded.kind === 'broken')
    return unavailable('not_json', `The ERP answered ${httpStatus} with ${decoded.message}.`)
  const body = parse(decoded.body)
  if (body === NOT_JSON) return unavailable('not_json', describeNotJson(httpStatus, decoded.body))
  try {
    if (httpStatus === 422) return { kind: 'refused', httpStatus, durationMs, ...readRefusal(body) }
    const record = readRecord(body, demands)
    const { identifier } = record.identity
    if (identifier !== asked.identifier) {
      const message = `must be ${asked.identifier}, the student asked for; it is ${identifier}`
      return unavailable('another_student', `data.student.identifier ${message}`, [
        { key: 'data.student.identifier', message },
      ])
    }
    const problems = feeProblems(record.fees, 'data.fee_components')
    if (problems.length > 0) return unavailable('wrong_record', wordsOf(problems), problems)
    return { kind: 'found', httpStatus, durationMs, record }
  } catch (error) {
    if (!(error instanceof BursarError) || error.problems === undefined) throw error
    const reason = httpStatus === 422 ? 'wrong_refusal' : 'wrong_record'
    const problems = error.problems.map(nameWhole)
    return unavailable(reason, wordsOf(problems), problems)
  }
}

function judgeStatus(httpStatus: number): { reason: UnavailableReason; message: string } {
  if (httpStatus === 401 || httpStatus === 403) {
    return {
      reason: 'not_authorised',
      message: `The ERP answered ${httpStatus}: it does not accept our credentials.`,
    }
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    return {
      reason: 'redirect',
      message: `The ERP answered ${httpStatus}, a redirect; none is followed. Set the final address.`,
    }
  }
  return {
    reason: 'http_status',
    message: `The ERP answered ${httpStatus}; only 200 and 422 are understood.`,
  }
}

const NOT_JSON = Symbol('not JSON')

function parse(body: Buffer): unknown {
  try {
    return parseAnswer(body)
  } catch {
    return NOT_JSON
  }
}

function describeNotJson(httpStatus: number, body: Buffer): string {
  const what = `The ERP answered ${httpStatus} with`
  if (body.length === 0) return `${what} nothing; JSON is expected.`
  return /^\s*</.test(body.subarray(0, 100).toString('latin1'))
    ? `${what} HTML or XML; JSON is expected.`
    : `${what} something that is not whole JSON.`
}

/** The body as such has no path. */
function nameWhole(problem: FieldProblem): FieldProblem {
  return problem.key === '' ? { ...problem, key: 'body' } : problem
}

function wordsOf(problems: readonly FieldProblem[]): string {
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return `The answer of the ERP is wrong: ${first?.key} ${first?.message}${more}.`
}

/** Asked for: what frameworks and proxies in front of ERPs send. */
const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

type DecodedBody =
  | { kind: 'decoded'; body: Buffer }
  | { kind: 'too_large' }
  | { kind: 'broken'; message: string }

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Buffer

const DECODERS = new Map<string, Decompress>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateEither],
  ['br', brotliDecompressSync],
])

/** The body without its compression. Not a byte more than the limit is unpacked, however small the answer is. */
function decodeBody(body: Buffer, encoding: string | string[] | undefined, maxBytes: number): DecodedBody {
  const name = encoding === undefined ? 'identity' : String(encoding).trim().toLowerCase()
  if (name === 'identity' || name === '' || body.length === 0) return { kind: 'decoded', body }
  const decompress = DECODERS.get(name)
  if (decompress === undefined)
    return { kind: 'broken', message: `a body in the encoding ${name}; ${ACCEPTED_ENCODINGS} are understood` }
  try {
    return { kind: 'decoded', body: decompress(body, { maxOutputLength: maxBytes }) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too_large' }
    return { kind: 'broken', message: `a body that is not whole ${name}` }
  }
}

/** Some servers send the bare stream under this name, without the header that the standard asks for. */
function inflateEither(body: Buffer, options: { maxOutputLength: number }): Buffer {
  const isWrapped = ((body[0] ?? 0) & 0x0f) === 8 && body.length > 1 && body.readUInt16BE(0) % 31 === 0
  return isWrapped ? inflateSync(body, options) : inflateRawSync(body, options)
}

/** The contract's limit: an answer that is not whole by then is none. */
export const ERP_TIMEOUT_MS = 15_000
const OWN_HEADERS = {
  accept: 'application/json',
  'accept-encoding': ACCEPTED_ENCODINGS,
  'user-agent': 'Bursar-Pull/1.0',
}

type FetchCall = {
  url: string
  /** Headers that authenticate us at the ERP. */
  headers: Readonly<Record<string, string>>
  asked: LookupValues
  demands: Demands
  timeoutMs: number
}

/** One GET on the ERP's fetch-student endpoint; whatever happens is an answer. */
export async function fetchStudent(httpClient: HttpClient, call: FetchCall): Promise<ErpAnswer> {
  const result = await httpClient.send({
    method: 'GET',
    url: call.url,
    headers: mergeHeaders(OWN_HEADERS, call.headers),
    timeoutMs: call.timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
  })
  return understand(result, call.asked, call.demands)
}
