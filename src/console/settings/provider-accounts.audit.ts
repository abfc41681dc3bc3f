import { accountOutput } from '../../providers/accounts/account.schemas.ts'
import type { ProviderAccount } from '../../providers/accounts/accounts.rules.ts'
import type { AccountChange, CheckedAccount } from '../../providers/accounts/accounts.service.ts'
import type { AuditNote } from '../audit/audit.service.ts'

/** What acts on provider accounts leave in the audit log, from the console and the command line. */
export function noteOfAdded(account: ProviderAccount): AuditNote {
  return { what: 'provider_account.added', about: account.id, after: accountOutput.toJson(account) }
}

export function noteOfChange(
  what: 'changed' | 'rotated' | 'paused' | 'resumed',
  { before, after }: AccountChange,
  why: string | undefined,
): AuditNote {
  return {
    what: `provider_account.${what}`,
    about: after.id,
    why,
    before: accountOutput.toJson(before),
    after: accountOutput.toJson(after),
  }
}

export function noteOfCheck({ account, problem }: CheckedAccount): AuditNote {
  return { what: 'provider_account.checked', about: account.id, after: { problem } }
}
