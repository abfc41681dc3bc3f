import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { JsonSchema } from '../../../src/platform/json.rules.ts'

/** Those that only tell how a number is kept are the reference's alone. */
const formats = { ...fullFormats, int64: true, double: true } as const
const judge = new Ajv({ strict: false, formats, allErrors: true })
const cleaner = new Ajv({ strict: false, formats, removeAdditional: 'all' })

/** Holds a value against its schema: no field missing, wrong or too many. */
export function assertFits(schema: JsonSchema, value: unknown, what: string): void {
  const isRight = judge.compile(schema)
  assert.ok(isRight(value), `${what}: ${judge.errorsText(isRight.errors)} ${JSON.stringify(value)}`)
  const known = structuredClone(value)
  cleaner.validate(schema, known)
  assert.deepEqual(known, value, `${what} has a field too many`)
}
