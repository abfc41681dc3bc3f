import { createHash } from 'node:crypto'

/** A digest of what a registration says of its student, whoever registers it and however it was written. */
export function digestOf(registration: { registrationId: string }): Buffer {
  const said = { ...registration, registrationId: undefined }
  return createHash('sha256').update(JSON.stringify(said, byName)).digest()
}

/** Fields in the order of their names, so that the digest does not hang on how the code lists them. */
function byName(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)))
}
