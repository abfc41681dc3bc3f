import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../app/config.ts'
import { openDatabase } from '../app/open-database.ts'
import { CLUSTER } from '../platform/backup/format.ts'
import type { Context } from '../platform/context.ts'
import type { MigrationResult } from '../platform/db/migrate.ts'
import { createLog } from '../platform/log.ts'
import { lockServer } from './data-dir-lock.ts'
import { writeError } from './terminal/output.ts'

/** A command tells its outcome by itself; what services log is nobody's to read there. */
export const SILENT = createLog({ level: 'silent', format: 'json', destination: { write() {} } })

/** Opens the configured database for one command and leaves the embedded server as it was found. */
export async function withContext(
  work: (ctx: Context, migration: MigrationResult) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env)
  const isNew = config.databaseUrl === null && !existsSync(join(config.dataDir, CLUSTER))
  const holds: (() => Promise<void>)[] = []
  try {
    const { ctx, migration } = await openDatabase(config, {
      // Held from here on, because the rest of the opening may fail and would leave a server behind.
      onEmbedded: async embedded => void holds.push(await lockServer(embedded)),
    })
    // Otherwise a forgotten DATA_DIR answers with the keys and institutes of another installation.
    if (isNew)
      writeError(
        `${config.dataDir} had no database, so a new one was made there. If you meant another, set DATA_DIR or DATABASE_URL.`,
      )
    try {
      await work(ctx, migration)
    } finally {
      await ctx.db.close()
    }
  } finally {
    for (const letGo of holds) await letGo()
  }
}
