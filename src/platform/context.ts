import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import type { AddressPolicy } from './http-client/addresses.ts'
import type { Vault } from './secrets.ts'

export type Mode = 'sandbox' | 'live'

/** What every service may ask for; built once at start and passed down. A function names the part that it uses. */
export type Context = {
  readonly db: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly mode: Mode
  /** Where parents' browsers reach us, without a trailing slash. */
  readonly publicUrl: string
  /** The name of this cell, where several installations are one service; null: this one stands by itself. */
  readonly cell: string | null
  /** Which addresses of others we connect to. */
  readonly addressPolicy: AddressPolicy
}
