import { assert } from '../../platform/assert.ts'
import type { BillerUnit } from '../biller-port.ts'
import { setu } from './setu.ts'

/** The operating units that a school can be a biller of. A new one is a file beside this one and an entry here. */
const UNITS: ReadonlyMap<string, BillerUnit> = new Map([[setu.name, setu]])

export const FIRST_UNIT = setu

export function unitOf(name: string): BillerUnit {
  const unit = UNITS.get(name)
  assert(unit !== undefined, `the operating unit ${name} is not known`)
  return unit
}
