import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { assertNever } from '../../platform/assert.ts'
import { paiseOf, type Paise } from '../../platform/money.ts'
import {
  AnswerError,
  isObject,
  parseJson,
  readList,
  readObject,
  readText,
  type Fields,
} from '../../providers/http.ts'
import type {
  Bill,
  BillerAnswer,
  BillerUnit,
  BillQuestion,
  Exactness,
  PayOutNotice,
  PostedPayment,
  UnitAnswer,
  UnitCredentials,
} from '../biller-port.ts'

/** Setu's BBPS BillCollect, fetch and pay. README.md beside this file says which of its documents each part rests on. */
export const setu: BillerUnit = {
  name: 'setu',
  title: 'Setu',
  newCredentials: () => ({ schemeId: randomUUID(), secret: randomBytes(32).toString('base64url') }),
  isSigned: ({ headers }, credentials, now) => isToken(headers['authorization'] ?? '', credentials, now),
  readQuestion,
  readPosted,
  readPayOuts,
  answer,
  sign: (credentials, now) => ({ authorization: `Bearer ${tokenOf(credentials, now)}` }),
  ask: question =>
    JSON.stringify({
      customerIdentifiers: [...question].map(([attributeName, attributeValue]) => ({
        attributeName,
        attributeValue,
      })),
    }),
}

/** Setu refuses tokens that are older, and asks billers to do the same. */
const TOKEN_LASTS_S = 120
/** How far its clock may be ahead of ours. */
const CLOCK_AHEAD_S = 30
const LONGEST_TOKEN = 4_096

function isToken(authorization: string, { schemeId, secret }: UnitCredentials, now: Date): boolean {
  if (authorization.length > LONGEST_TOKEN) return false
  const [, header = '', payload = '', mac = ''] =
    /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(authorization) ?? []
  const expected = macOf(`${header}.${payload}`, secret)
  const sent = Buffer.from(mac, 'base64url')
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return false
  const claims = readPart(payload)
  const ageS = now.getTime() / 1_000 - Number(claims['iat'])
  const isFresh = typeof claims['iat'] === 'number' && ageS <= TOKEN_LASTS_S && ageS >= -CLOCK_AHEAD_S
  const audiences: readonly unknown[] = Array.isArray(claims['aud']) ? claims['aud'] : [claims['aud']]
  return readPart(header)['alg'] === 'HS256' && isFresh && audiences.includes(schemeId)
}

function readPart(part: string): Fields {
  try {
    const value = parseJson(Buffer.from(part, 'base64url'))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function tokenOf({ schemeId, secret }: UnitCredentials, now: Date): string {
  const claims = { aud: schemeId, iat: Math.floor(now.getTime() / 1_000), jti: randomUUID() }
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${macOf(signed, secret).toString('base64url')}`
}

function macOf(text: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(text).digest()
}

/** Setu takes at most four. */
const MOST_IDENTIFIERS = 10
const LONGEST_VALUE = 128

function readQuestion(body: Buffer): BillQuestion {
  const list = readList(readObject(parseJson(body), 'body'), 'customerIdentifiers', 'body')
  if (list.length === 0 || list.length > MOST_IDENTIFIERS)
    throw new AnswerError('body.customerIdentifiers', `a list of 1 to ${MOST_IDENTIFIERS}`)
  return new Map(
    list.flatMap((entry, index): [string, string][] => {
      const at = `body.customerIdentifiers.${index}`
      const fields = readObject(entry, at)
      // The payer left an optional field empty.
      if (fields['attributeValue'] === '') return []
      return [[readShort(fields, 'attributeName', at), readShort(fields, 'attributeValue', at)]]
    }),
  )
}

function readPosted(body: Buffer): PostedPayment {
  const fields = readObject(parseJson(body), 'body')
  const at = 'body.paymentDetails'
  const details = readObject(fields['paymentDetails'], at)
  const { instrument, transactionTimestamp } = details
  return {
    reference: readShort(details, 'uniquePaymentRefID', at),
    unitBillId: readShort(fields, 'platformBillID', 'body'),
    billId: readShort(fields, 'billerBillID', 'body'),
    amountPaise: readPaise(details['amountPaid'], `${at}.amountPaid`),
    instrument: typeof instrument === 'string' && instrument !== '' ? instrument.slice(0, 64) : null,
    paidAt: typeof transactionTimestamp === 'string' ? momentOf(transactionTimestamp) : null,
  }
}

/** A moment that cannot be read is none: the money is there whatever its clock says. */
function momentOf(text: string): Date | null {
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? null : moment
}

const SETTLED = 'BILL_SETTLEMENT_STATUS'
const MOST_EVENTS = 100
const MOST_BILLS = 5_000

/** What it tells beside pay-outs is nothing to us. */
function readPayOuts(body: Buffer): PayOutNotice[] {
  const events = readList(readObject(parseJson(body), 'body'), 'events', 'body')
  if (events.length > MOST_EVENTS) throw new AnswerError('body.events', `at most ${MOST_EVENTS}`)
  return events.flatMap((entry, index) => {
    const at = `body.events.${index}`
    const event = readObject(entry, at)
    if (event['type'] !== SETTLED) return []
    const data = readObject(event['data'], `${at}.data`)
    if (data['status'] !== 'SETTLEMENT_SUCCESSFUL') return []
    const unitBillIds = readList(data, 'platformBillIds', `${at}.data`)
    if (unitBillIds.length === 0 || unitBillIds.length > MOST_BILLS || !unitBillIds.every(isShort))
      throw new AnswerError(`${at}.data.platformBillIds`, `a list of 1 to ${MOST_BILLS} texts`)
    const moment = event['timeStamp']
    if (typeof moment !== 'number' || !Number.isInteger(moment) || Math.abs(moment) > 8e15)
      throw new AnswerError(`${at}.timeStamp`, 'milliseconds')
    return [
      {
        id: readShort(event, 'id', at),
        utr: readShort(data, 'transactionId', `${at}.data`),
        amountPaise: readPaise(data['amountSettled'], `${at}.data.amountSettled`),
        unitBillIds: [...new Set(unitBillIds)],
        at: new Date(moment),
      },
    ]
  })
}

const isShort = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_VALUE && !/\p{Cc}/u.test(value)

function readShort(fields: Fields, key: string, at: string): string {
  const value = readText(fields, key, at)
  if (!isShort(value)) throw new AnswerError(`${at}.${key}`, `a text of at most ${LONGEST_VALUE} characters`)
  return value
}

/** Rupees of a lakh crore, which no payment is. */
const MOST_PAISE = 1e14

function readPaise(value: unknown, at: string): Paise {
  const paise = readObject(value, at)['value']
  if (typeof paise !== 'number' || !Number.isInteger(paise) || paise <= 0 || paise > MOST_PAISE)
    throw new AnswerError(`${at}.value`, 'a whole number of paise above 0')
  return paiseOf(paise)
}

function answer(said: BillerAnswer): UnitAnswer {
  switch (said.kind) {
    case 'bill':
      return success({
        customer: customerOf(said.bill),
        billDetails: { billFetchStatus: 'AVAILABLE', bills: [billOf(said.bill)] },
      })
    case 'nothing_due':
      return success({
        customer: { name: said.customerName },
        billDetails: { billFetchStatus: 'NO_OUTSTANDING', bills: [] },
      })
    case 'receipt':
      return success({ receipt: { id: said.number, date: said.at.toISOString() } })
    case 'noted':
      return { httpStatus: 200, body: { status: 200, success: true } }
    case 'unknown_customer':
      return failure(
        400,
        'customer-not-found',
        'A customer with the provided credentials does not exist in the biller system.',
      )
    case 'unknown_bill':
      return failure(
        400,
        'bill-not-found',
        'A bill with the provided billerBillID does not exist in the biller system.',
      )
    case 'contradicted':
      return failure(
        400,
        'incorrect-amount',
        'This uniquePaymentRefID was received before, of another bill or with another amount.',
      )
    case 'unreadable':
      return failure(400, 'malformed-request', said.detail)
    case 'not_signed':
      return failure(
        401,
        'jwt-verification-failed',
        'The JWT in the Authorization header is missing, older than two minutes, or not signed with the secret of this school.',
      )
    case 'failed':
      return failure(
        500,
        'unable-to-fulfill-request',
        'An error occurred while processing this request.',
        'API_ERROR',
      )
    default:
      return assertNever(said)
  }
}

function success(data: object): UnitAnswer {
  return { httpStatus: 200, body: { status: 200, success: true, data } }
}

function failure(status: number, code: string, detail: string, title = code): UnitAnswer {
  const error = { code, title, detail, docURL: '', errors: [], traceID: randomUUID() }
  return { httpStatus: status, body: { status, success: false, error } }
}

const EXACTNESS: Readonly<Record<Exactness, string>> = { exact: 'EXACT', at_least: 'EXACT_UP', any: 'ANY' }

/** More than four lines are not shown. */
const MOST_LINES = 4

function billOf(bill: Bill): Record<string, unknown> {
  const { id, billedAt, dueAt, exactness, amountPaise, totalPaise, student } = bill
  return {
    billerBillID: id,
    generatedOn: billedAt.toISOString(),
    dueDate: dueAt.toISOString(),
    recurrence: 'ONE_TIME',
    amountExactness: EXACTNESS[exactness],
    customerAccount: { id: student.admissionNumber },
    items: shownLines(bill).map(line => ({
      displayName: line.name,
      description: line.name,
      aggregates: { total: money(line.amountPaise) },
    })),
    aggregates: {
      subTotal: { displayName: 'Due in all', amount: money(totalPaise) },
      total: { displayName: 'Total payable', amount: money(amountPaise) },
    },
  }
}

const money = (value: Paise) => ({ value, currencyCode: 'INR' })

function shownLines({ lines }: Bill): Bill['lines'] {
  if (lines.length <= MOST_LINES) return lines
  const rest = lines.slice(MOST_LINES - 1).reduce((sum, line) => sum + line.amountPaise, 0)
  return [...lines.slice(0, MOST_LINES - 1), { name: 'Other fees', amountPaise: paiseOf(rest) }]
}

/** What NPCI wants shown of a student, in the category of education. */
function customerOf({ student, school }: Bill): Record<string, unknown> {
  return {
    name: student.name,
    additionalInfo: {
      academicYear: student.academicYear,
      course: student.className,
      enrollmentCode: student.admissionNumber,
      parentName: student.parentName,
      schoolName: school.name,
      ...(school.address === null ? {} : { schoolAddress: school.address }),
    },
  }
}
