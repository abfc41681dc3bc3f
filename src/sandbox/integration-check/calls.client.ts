import type { ErpContext } from '../../erp/context.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { type CheckPart, type Exchange, readBookings, type Books } from './check.rules.ts'
import type { HttpClient, HttpResult } from '../../platform/http-client/http-client.ts'
import { excerptOf } from '../../webhooks/delivery-log/deliveries.rules.ts'
import { deliveryRequest, MAX_ANSWER_BYTES, TIMEOUT_MS, type Keys } from '../../webhooks/engine/send.ts'

export type WantedCheck = {
  identifier: string
  discontinuedIdentifier?: string
  transferredIdentifier?: string
  dataErrorIdentifier?: string
  bookingsUrl?: string
  collectorCode?: string
  parts?: readonly CheckPart[]
}

/** One run of the check. */
export type Checking = {
  ctx: ErpContext
  institute: Institute
  wanted: WantedCheck
  isLate(): boolean
}

const SHOWN_CHARACTERS = 2_000

export type Delivery = {
  url: string
  eventId: string
  body: Buffer
  /** What is sent in place of it, after it was signed. */
  altered?: Buffer
  keys: Keys
  /** What is special about it. */
  what: string
  at?: Date
}

/** The calls of one check; every answer is kept for the developer to read. */
export type CallsForCheck = ReturnType<typeof callsWith>

export function callsWith(httpClient: HttpClient) {
  return {
    async get(url: string, what: string, headers: Record<string, string>): Promise<Exchange> {
      const result = await httpClient.send({ method: 'GET', url, headers, ...LIMITS })
      return toExchange('GET', url, what, result, body => excerptOf(body, null))
    },
    async deliver({ altered, what, at = new Date(), ...delivery }: Delivery): Promise<Exchange> {
      const request = deliveryRequest({ ...delivery, at })
      const body = altered ?? delivery.body
      const result = await httpClient.send({ ...request, body })
      return toExchange(
        'POST',
        delivery.url,
        `${what}\n${body.toString('utf8')}`,
        result,
        delivery.keys.excerptOf,
      )
    },
    /** What the ERP has booked of a payment. */
    async readBooks(url: string, headers: Record<string, string>, paymentId: string): Promise<Books> {
      const address = new URL(url)
      address.searchParams.set('payment_id', paymentId)
      const result = await httpClient.send({ method: 'GET', url: address.href, headers, ...LIMITS })
      if (result.kind === 'failed') return { kind: 'unreadable', message: result.message }
      return readBookings(result.httpStatus, result.body)
    },
  }
}

const LIMITS = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES }

function toExchange(
  method: Exchange['method'],
  url: string,
  sent: string,
  result: HttpResult,
  shown: (body: Buffer) => string,
): Exchange {
  const isAnswered = result.kind === 'answered'
  return {
    method,
    url,
    sent: sent.slice(0, SHOWN_CHARACTERS).toWellFormed(),
    httpStatus: isAnswered ? result.httpStatus : null,
    received: isAnswered ? shown(result.body) : result.message,
    durationMs: result.durationMs,
  }
}
