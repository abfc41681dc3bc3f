import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { BursarError } from '../../src/platform/errors.ts'

export async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => assert.fail('it should not succeed'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof Error)
  return error
}

export async function assertUnavailable(work: Promise<unknown>, text: RegExp): Promise<void> {
  const error = await failureOf(work)
  assert.ok(error instanceof BursarError, inspect(error))
  assert.equal(error.code, 'SYE00001')
  assert.match(error.message, text)
}
