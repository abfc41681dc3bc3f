import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { EmbeddedConnection } from './client.ts'
import { readPostmaster, whereRuns } from './postmaster.ts'

/** How to reach the server of a data folder as it runs now; null: it does not. Starts and changes nothing. */
export async function findRunning(dataDir: string): Promise<EmbeddedConnection | null> {
  const folder = await realpath(dataDir).catch(() => null)
  if (folder === null) return null
  const cluster = join(folder, 'pg')
  const postmaster = readPostmaster(cluster)
  if (postmaster === null || whereRuns(postmaster.pid, cluster) === 'elsewhere') return null
  return { host: postmaster.socketDir, user: 'bursar', database: 'bursar' }
}
