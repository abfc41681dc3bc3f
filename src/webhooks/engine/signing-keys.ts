import type { Context } from '../../platform/context.ts'
import type { Target } from './delivery-engine.store.ts'
import { makeKeys, type Keys } from './delivery-request.ts'
import { openHeader, openSecrets } from '../subscriptions/subscriptions.service.ts'

const MOST = 1_000

/** Keys of subscriptions, opened once and again when a subscription has others. */
export class OpenedKeys {
  readonly #ctx: Context
  readonly #opened = new Map<string, { target: Target; keys: Keys }>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  of(target: Target): Keys {
    const known = this.#opened.get(target.id)
    if (known?.target === target) return known.keys
    if (known !== undefined && isSealedAlike(known.target, target)) {
      known.target = target
      return known.keys
    }
    const keys = makeKeys(openSecrets(this.#ctx, target), openHeader(this.#ctx, target))
    if (this.#opened.size >= MOST) this.#opened.clear()
    this.#opened.set(target.id, { target, keys })
    return keys
  }
}

function isSealedAlike(one: Target, other: Target): boolean {
  return (
    one.headerKey === other.headerKey &&
    isAlike(one.secretSealed, other.secretSealed) &&
    isAlike(one.previousSecretSealed, other.previousSecretSealed) &&
    isAlike(one.headerValueSealed, other.headerValueSealed)
  )
}

function isAlike(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}
