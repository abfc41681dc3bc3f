import type { CallOutcome } from '../platform/http-client/call-counts.ts'
import type { Provider } from './port.ts'

/** One of the credentials of an account: the form of the console, the command line and the environment ask for it. */
export type ProviderSetting = {
  /** Its name among the values of an account. */
  field: string
  /** The environment variable that sets it for the account of the whole installation. */
  env: string
  label: string
  /** What it is for in the environment. */
  describes: string
  /** Where a person finds it at the provider. */
  help: string
  isSecret?: boolean
  isOptional?: boolean
}

export type KeyKind = 'test' | 'live'

/** All that the rest of Bursar knows of a provider: its settings, how it is made from them, and what an operator is told. */
export type ProviderEntry = {
  title: string
  /** They go together: all that are not optional, or none. */
  settings: readonly ProviderSetting[]
  create(values: ProviderValues, options?: ProviderOptions): Provider
  /** The environment variable that says where its API is, for every account: an institute does not choose whom we call. */
  apiUrlEnv: string
  /** Served at PUBLIC_URL/hosted/<provider>/…; absent where the checkout has an address of its own. */
  hostedPage?: HostedPage
  /**
   * Which money the key moves, as the provider marks it, and the field that tells; null: not a key of this provider.
   * The hint tells one key from another without telling a secret.
   */
  describe(values: ProviderValues): { field: string; key: KeyKind | null; hint: string }
}

/** What a page of ours needs to open a provider's checkout where only a script of the provider's does. */
export type HostedPage = {
  libraryUrl: string
  /** Hosts that serve the library, and that it may open and reach. */
  origins: readonly string[]
  /** Run after the library; it finds what to open in the address. */
  script: string
  /** The end of an address that the provider gave out. */
  path: RegExp
}

/** `apiUrl`: another address than the provider's own, such as an emulator's. `now`: the clock, where a sandbox moves it. */
type ProviderOptions = {
  apiUrl?: string | undefined
  now?: () => Date
  /** Told of every call to the provider. */
  onCall?: ((outcome: CallOutcome) => void) | undefined
}

/** The values of an entry's settings by their fields. */
export type ProviderValues = Readonly<Record<string, string>>

export function valueOf(values: ProviderValues, field: string): string {
  const value = values[field]
  if (value === undefined) throw new Error(`${field} is not set`)
  return value
}
