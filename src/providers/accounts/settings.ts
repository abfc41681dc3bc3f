import type { Vault } from '../../platform/secrets.ts'
import type { ProviderValues } from '../port.ts'
import type { ProviderAccount } from './accounts.rules.ts'

/** The credentials of an account, and those before them while callbacks may still be signed with theirs. */
export type AccountSettings = {
  values: ProviderValues
  previous: readonly { values: ProviderValues; until: string }[]
}

type Key = Pick<ProviderAccount, 'instituteId' | 'id'>

const purposeOf = ({ instituteId, id }: Key): string => `provider account ${instituteId} ${id}`

export function sealSettings(vault: Vault, key: Key, settings: AccountSettings): Buffer {
  return vault.seal(JSON.stringify(settings), purposeOf(key))
}

export function openSettings(vault: Vault, account: Key & { settingsSealed: Buffer }): AccountSettings {
  return JSON.parse(vault.open(account.settingsSealed, purposeOf(account))) as AccountSettings
}
