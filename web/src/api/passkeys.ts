/** Passkeys of this browser and device. The library is loaded when somebody uses one. */
const library = () => import('@simplewebauthn/browser')

/** Browsers have passkeys for a name over https, or for localhost; never for a bare address. */
export function hasPasskeys(): boolean {
  return window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname)
}

/** The texts are JSON, as the server sends and takes it. */
export async function makePasskey(options: string): Promise<string> {
  const { startRegistration } = await library()
  return JSON.stringify(await startRegistration({ optionsJSON: JSON.parse(options) }).catch(explain))
}

export async function signWithPasskey(options: string): Promise<string> {
  const { startAuthentication } = await library()
  return JSON.stringify(await startAuthentication({ optionsJSON: JSON.parse(options) }).catch(explain))
}

/** What the person sees in place of the browser's own words. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError'
}

function explain(error: unknown): never {
  if (error instanceof Error && error.name === 'InvalidStateError')
    throw new PasskeyError('This device has a passkey for you already.')
  throw new PasskeyError('No passkey was used. Try again, or choose another way.')
}
