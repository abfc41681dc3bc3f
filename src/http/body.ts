import type { FastifyRequest } from 'fastify'
import { badRequest, badField } from '../platform/errors.ts'
import { isQuicklyParsed } from '../platform/json.rules.ts'
import { JSON_BODY, FORM } from '../platform/limits.rules.ts'
import { textFlaw } from './wire/reader.ts'

/**
 * The body as the wire conventions have it: empty is fine whatever its declared type, anything else must be
 * JSON text of one object. The raw bytes are what an Idempotency-Key's fingerprint is taken of.
 */
const JSON_MEDIA_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

/** A callback's reader parses the body itself, once its signature is right. */
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

/** Forms of pages. Each field is bounded where it is read, as a text of a JSON body is. */
const MAX_CHARACTERS = 500
/** Long input is cut when a form shows it again beside its error. */
const MAX_SHOWN_CHARACTERS = 2_000

const AMPERSAND = 38
const forms = new WeakMap<FastifyRequest, URLSearchParams>()

/** Undefined when it was not sent; a 400 when it is longer than any field of a form or no text at all. */
export function formField(request: FastifyRequest, name: string): string | undefined {
  const text = formOf(request).get(name)
  if (text === null) return undefined
  const flaw = textFlaw(text, 0, MAX_CHARACTERS)
  if (flaw !== null) throw badField(name, flaw)
  return text
}

/** All values of a field that stands several times, such as boxes that can be ticked. */
export function formFields(request: FastifyRequest, name: string): string[] {
  const texts = formOf(request).getAll(name)
  for (const text of texts) {
    const flaw = textFlaw(text, 0, MAX_CHARACTERS)
    if (flaw !== null) throw badField(name, flaw)
  }
  return texts
}

/** Fields of a form that reports its own errors. */
export function formFieldShown(request: FastifyRequest, name: string): string | undefined {
  return formOf(request).get(name)?.slice(0, MAX_SHOWN_CHARACTERS)
}

function formOf(request: FastifyRequest): URLSearchParams {
  const known = forms.get(request)
  if (known !== undefined) return known
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  let fields = 1
  for (const byte of body) if (byte === AMPERSAND) fields++
  if (fields > FORM.fields) throw badRequest(`A form has at most ${FORM.fields} fields.`)
  const form = new URLSearchParams(body.toString('utf8'))
  forms.set(request, form)
  return form
}
