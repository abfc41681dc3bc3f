import { createHash, hash } from 'node:crypto'
import type { Identity, Profile } from '../students.rules.ts'

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

/** The same of a registration without fees and payments, written in that order at once: files hold a hundred thousand. */
export function digestOfProfile(said: {
  collectorCode: string | undefined
  identity: Identity
  profile: Profile
}): Buffer {
  const { academicYearEnd, academicYearStart, grade, identifier } = said.identity
  const { contactEmail, contactName, contactNumber, customIdentifier, dateOfBirth, fullname, newAdmission } =
    said.profile
  const text = JSON.stringify({
    collectorCode: said.collectorCode,
    fees: [],
    identity: { academicYearEnd, academicYearStart, grade, identifier },
    payments: [],
    profile: {
      contactEmail,
      contactName,
      contactNumber,
      customIdentifier,
      dateOfBirth,
      fullname,
      newAdmission,
    },
  })
  return hash('sha256', text, 'buffer')
}
