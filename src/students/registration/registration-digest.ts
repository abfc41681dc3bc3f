import { hash } from 'node:crypto'
import { identityValues, profileValues, type Identity, type Profile } from '../students.rules.ts'

type Said = {
  collectorCode: string | undefined
  identity: Identity
  profile: Profile
  fees: readonly object[]
  payments: readonly object[]
}

/** A digest of what a registration says of its student, independent of the caller and of how it was written. */
export function digestOf({ collectorCode, identity, profile, fees, payments }: Said): Buffer {
  const said = [collectorCode ?? null, identityValues(identity), profileValues(profile), fees, payments]
  // Files hold a hundred thousand without fees and payments: sorting their keys would be most of the work.
  const isBare = fees.length === 0 && payments.length === 0
  return hash('sha256', JSON.stringify(said, isBare ? undefined : byName), 'buffer')
}

/** Fields in the order of their names, so that the digest does not hang on how the code lists them. */
function byName(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)))
}
