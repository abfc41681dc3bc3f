import type { FastifyRequest } from 'fastify'
import { badRequest } from '../platform/errors.ts'
import { isQuicklyParsed } from '../platform/json.rules.ts'
import { JSON_BODY } from '../platform/limits.rules.ts'

/**
 * The body as the wire conventions have it: empty is fine whatever its declared type, anything else must be
 * JSON text of one object. The raw bytes are what an Idempotency-Key's fingerprint is taken of.
 */
const JSON_MEDIA_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

/** Of a callback, whose reader parses it once its signature is right. */
export function callbackBody(request: FastifyRequest): Buffer {
  const raw = rawBody(request)
  refuseSlow(raw)
  return raw
}

function refuseSlow(raw: Buffer): void {
  if (!isQuicklyParsed(raw))
    throw badRequest(
      `The body has more than ${JSON_BODY.values} values, or is nested more than ${JSON_BODY.depth} deep.`,
    )
}

/** What stands for the body in a fingerprint: the bytes themselves, or the digest of a file. */
export function bodyMark(request: FastifyRequest): Buffer {
  const { body } = request
  return typeof body === 'object' && body !== null && 'digest' in body && Buffer.isBuffer(body.digest)
    ? body.digest
    : rawBody(request)
}

export function parseBody(request: FastifyRequest): unknown {
  const raw = rawBody(request)
  if (raw.length === 0) {
    // It would replace everything by nothing, which is hardly what a client that lost its body meant.
    if (request.method === 'PUT') throw badRequest('PUT replaces the whole. Send it as a JSON object.')
    return {}
  }
  const declared = request.declaredType
  if (declared !== undefined && !JSON_MEDIA_TYPE.test(declared)) {
    throw badRequest('Send the body as JSON with the header Content-Type: application/json.')
  }
  refuseSlow(raw)
  const value = parseJson(raw)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('The body must be a JSON object.')
  }
  return value
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(raw))
  } catch {
    throw badRequest('The body is not valid JSON in UTF-8.')
  }
}
