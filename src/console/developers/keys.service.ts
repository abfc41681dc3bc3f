import type { Institute } from '../../institutes/institutes.rules.ts'
import { issueKey, rotateKeyOf, type IssuedKey, type NewKey } from '../../institutes/keys.service.ts'
import type { Ground } from '../../platform/context.ts'
import { innerAct, type Act } from '../../platform/idempotency.ts'

/** A key as it is answered. Its secret is answered once: no answer that is kept for a repeated request holds it. */
export type ShownKey = Omit<IssuedKey, 'secret'> & { secret: string | null }

export async function createKeyOnce(
  ground: Ground,
  act: Act<ShownKey>,
  institute: Institute,
  input: NewKey,
): Promise<ShownKey> {
  return issueKey(ground, withoutSecret(act), institute, input)
}

export async function rotateKeyOnce(
  ground: Ground,
  act: Act<ShownKey>,
  institute: Institute,
  keyId: string,
): Promise<ShownKey> {
  return rotateKeyOf(ground, withoutSecret(act), institute, keyId)
}

function withoutSecret(act: Act<ShownKey>): Act<IssuedKey> {
  return innerAct(act, key => ({ ...key, secret: null }))
}
