import type { Institute } from '../../institutes/institutes.rules.ts'
import { issueKey, rotateKeyOf, type IssuedKey, type NewKey } from '../../institutes/keys.service.ts'
import type { Context } from '../../platform/context.ts'
import { innerCommand, type Command } from '../../platform/idempotency.ts'

/** A key as it is answered. Its secret is answered once: no answer that is kept for a repeated request holds it. */
export type ShownKey = Omit<IssuedKey, 'secret'> & { secret: string | null }

export async function createKeyOnce(
  ctx: Context,
  command: Command<ShownKey>,
  institute: Institute,
  input: NewKey,
): Promise<ShownKey> {
  return issueKey(ctx, withoutSecret(command), institute, input)
}

export async function rotateKeyOnce(
  ctx: Context,
  command: Command<ShownKey>,
  institute: Institute,
  keyId: string,
): Promise<ShownKey> {
  return rotateKeyOf(ctx, withoutSecret(command), institute, keyId)
}

function withoutSecret(command: Command<ShownKey>): Command<IssuedKey> {
  return innerCommand(command, key => ({ ...key, secret: null }))
}
