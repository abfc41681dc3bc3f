import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Context } from '../../../platform/context.ts'

/** WebAuthn, as the library speaks it. The site is that of PUBLIC_URL, whatever a request says. */
type Site = Pick<Context, 'publicUrl'>

const NAME = 'Bursar'
const TIMEOUT_MS = 5 * 60_000
/** ES256, EdDSA and RS256 of COSE: what authenticators have. Left to itself the library probes for experimental ones. */
const ALGORITHMS = [-7, -8, -257]

/** Loaded when somebody uses a passkey: it takes a third of a second, which no start has to wait for. */
const library = () => import('@simplewebauthn/server')

function siteOf({ publicUrl }: Site): { rpID: string; origin: string } {
  const { hostname, origin } = new URL(publicUrl)
  return { rpID: hostname, origin }
}

/** Browsers have passkeys for names, never for a bare address. */
export function hasPasskeySite(ctx: Site): boolean {
  return isIP(siteOf(ctx).rpID.replaceAll(/[[\]]/g, '')) === 0
}

export type KnownKey = { credentialId: string; transports: readonly string[] }
type Ceremony = { options: string; challenge: string }

const descriptor = ({ credentialId, transports }: KnownKey) => ({
  id: credentialId,
  transports: [...transports],
})

/** What the browser needs to make a passkey; none that the person has is made twice. */
export async function newRegistration(
  ctx: Site,
  person: { userId: string; email: string; name: string },
  known: readonly KnownKey[],
): Promise<Ceremony> {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: siteOf(ctx).rpID,
    userID: new TextEncoder().encode(person.userId),
    userName: person.email,
    userDisplayName: person.name,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(descriptor),
    // Its owner is asked for a finger, a face or a PIN each time: a passkey alone is then two factors.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  })
  return { options: JSON.stringify(options), challenge: options.challenge }
}

/** What the browser needs to use one of these passkeys, or any that it has for this site. */
export async function newAuthentication(ctx: Site, allowed: readonly KnownKey[]): Promise<Ceremony> {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: siteOf(ctx).rpID,
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    ...(allowed.length === 0 ? {} : { allowCredentials: allowed.map(descriptor) }),
  })
  return { options: JSON.stringify(options), challenge: options.challenge }
}

/** Spends the challenge that came back; false when it is not one of ours, too old or used. */
type Spend = (challenge: string) => Promise<boolean>

export type NewKey = KnownKey & { publicKey: Buffer; counter: number }

export async function verifyRegistration(ctx: Site, sent: string, spend: Spend): Promise<NewKey | null> {
  const response = parse(sent) as RegistrationResponseJSON | null
  if (response === null) return null
  const { rpID, origin } = siteOf(ctx)
  const { verifyRegistrationResponse } = await library()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: spend,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refused)
  if (!verified || registrationInfo === undefined) return null
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return { credentialId: id, publicKey: Buffer.from(publicKey), counter, transports }
}

/** The passkey that the answer claims to come from; nothing is verified yet. */
export function credentialIdOf(sent: string): string | null {
  return parse(sent)?.id ?? null
}

/** The counter after this use; null when it was not this passkey, not here, or not now. */
export async function verifyAuthentication(
  ctx: Site,
  sent: string,
  key: NewKey,
  spend: Spend,
): Promise<number | null> {
  const response = parse(sent) as AuthenticationResponseJSON | null
  if (response === null) return null
  const { rpID, origin } = siteOf(ctx)
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: spend,
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: {
      id: key.credentialId,
      publicKey: new Uint8Array(key.publicKey),
      counter: key.counter,
      transports: [...key.transports],
    },
    requireUserVerification: true,
  }).catch(refused)
  return verified && authenticationInfo !== undefined ? authenticationInfo.newCounter : null
}

/** The library throws at whatever does not fit; what exactly, nobody but a forger needs to know. */
function refused(): { verified: false; registrationInfo?: never; authenticationInfo?: never } {
  return { verified: false }
}

/** Only so much as we look at ourselves; the library checks the rest and throws at what does not fit. */
function parse(sent: string): { id: string; response: object } | null {
  try {
    const value = JSON.parse(sent) as Record<string, unknown> | null
    const { id, response } = value ?? {}
    return typeof id === 'string' && typeof response === 'object' && response !== null
      ? { ...value, id, response }
      : null
  } catch {
    return null
  }
}
