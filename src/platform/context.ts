import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import type { Vault } from './secrets.ts'

export type Mode = 'sandbox' | 'live'

/** What every service stands on; made once at start and passed down. */
export type Context = {
  db: Database
  clock: Clock
  vault: Vault
  mode: Mode
  /** Where parents' browsers reach us, without a trailing slash. */
  publicUrl: string
}
