import { setTimeout as wait } from 'node:timers/promises'
import { connectTo } from './paths.ts'
import type { EmbeddedPostgres } from './supervisor.ts'

export type DataDirLock = {
  /** Settles when the connection that holds the lock is gone, by release or by a fault. */
  readonly lost: Promise<void>
  release(): Promise<void>
}

/** Two numbers of our own choosing ("burs", 1): every Bursar must ask for the same lock. */
const LOCK = [0x62757273, 1]

/** After a kill -9 the server needs a moment to notice; a restart at once should not be turned away. */
const PATIENCE_MS = 1_000

/**
 * One Bursar per data folder. The lock belongs to a connection, so the server frees it when the holder dies,
 * however it dies: there is no lock file to go stale. Null when another Bursar holds it.
 */
export async function lockDataDir(connection: EmbeddedPostgres['connection']): Promise<DataDirLock | null> {
  const client = await connectTo(connection)
  const lost = new Promise<void>(resolve => client.once('end', resolve))
  try {
    for (const end = Date.now() + PATIENCE_MS; ; await wait(50)) {
      const { rows } = await client.query<{ held: boolean }>(
        'select pg_try_advisory_lock($1::int, $2::int) as held',
        LOCK,
      )
      if (rows[0]?.held === true) return { lost, release: () => client.end() }
      if (Date.now() >= end) break
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  await client.end()
  return null
}
