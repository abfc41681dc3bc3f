import type { FastifyRequest } from 'fastify'
import { badField, badRequest } from '../platform/errors.ts'
import { FORM } from '../platform/limits.rules.ts'
import { textFlaw } from './wire/reader.ts'

/** Forms of pages. Each field is bounded where it is read, as a text of a JSON body is. */
const MAX_CHARACTERS = 500
/** For what is shown again with what is wrong with it, such as its length. */
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

/** Of a form that says itself what is wrong with its fields. */
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
