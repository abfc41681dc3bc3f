import type { Static, TObject } from 'typebox'
import { Input } from './input.ts'
import { compileReader } from './reader.ts'

/** What a request can be read by: an input, or a bare schema, whose names stay as they are on the wire. */
export type Readable = Input<unknown> | TObject

export type SentBy<Given extends Readable> =
  Given extends Input<infer Value> ? Value : Given extends TObject ? Static<Given> : never

export function readerOf(given: Readable): (value: unknown) => unknown {
  return given instanceof Input ? value => given.read(value) : compileReader(given)
}

export function schemaOf(given: Readable): TObject {
  return given instanceof Input ? given.schema : given
}
