import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../app/config.ts'
import { connectTo } from '../app/open-database.ts'
import { refuseUnused, UnreadableDatabase } from '../app/status/status.service.ts'
import { CLUSTER } from '../platform/backup/format.ts'
import type { Database } from '../platform/db/database.ts'
import { openEmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { lockServer } from './terminal.ts'

/** Who only looks must not make a database, nor settle that it is a sandbox. */
export function refuseToMake(config: Config): void {
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, CLUSTER)))
    throw new UnreadableDatabase(
      `${config.dataDir} has no database yet: start Bursar. If you meant another, set DATA_DIR or DATABASE_URL.`,
    )
}

/** The database as it stands, not migrated; an embedded server that is down is started for as long. */
export async function withDatabase<Result>(
  config: Config,
  work: (connected: { db: Database; server: string }) => Promise<Result>,
): Promise<Result> {
  refuseToMake(config)
  const letGo =
    config.databaseUrl === null
      ? await lockServer(await openEmbeddedPostgres({ dataDir: config.dataDir }))
      : null
  try {
    const connected = await connectTo(config)
    if (connected === null) throw new UnreadableDatabase(`The server in ${config.dataDir} stopped meanwhile.`)
    try {
      await refuseUnused(connected.db)
      return await work(connected)
    } finally {
      await connected.db.close()
    }
  } finally {
    await letGo?.()
  }
}
