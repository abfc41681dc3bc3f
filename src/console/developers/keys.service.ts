import { type Institute, expandScopes, requireGrantable } from '../../institutes/institutes.rules.ts'
import { issueKey, rotateKeyOf, type IssuedKey, type NewKey } from '../../institutes/keys.service.ts'
import type { Context } from '../../platform/context.ts'
import { innerCommand, type Command } from '../../platform/idempotency.ts'
import type { ConsoleRole } from '../console.rules.ts'
import { grantableBy } from './developers.rules.ts'

/** A key as it is answered. Its secret is answered once: no answer that is kept for a repeated request holds it. */
export type ShownKey = Omit<IssuedKey, 'secret'> & { secret: string | null }

type Granter = { institute: Institute; role: ConsoleRole }

export async function createKeyOnce(
  ctx: Context,
  command: Command<ShownKey>,
  { institute, role }: Granter,
  input: NewKey,
): Promise<ShownKey> {
  requireGrantable(expandScopes(input.scopes), grantableBy(role))
  return issueKey(ctx, withoutSecret(command), institute, input)
}

export async function rotateKeyOnce(
  ctx: Context,
  command: Command<ShownKey>,
  { institute, role }: Granter,
  keyId: string,
): Promise<ShownKey> {
  return rotateKeyOf(ctx, withoutSecret(command), { institute, grantable: grantableBy(role) }, keyId)
}

function withoutSecret(command: Command<ShownKey>): Command<IssuedKey> {
  return innerCommand(command, key => ({ ...key, secret: null }))
}
