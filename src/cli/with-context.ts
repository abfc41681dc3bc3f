import { readConfig } from '../app/config.ts'
import { openGround } from '../app/open-database.ts'
import type { Ground } from '../platform/context.ts'
import type { MigrationResult } from '../platform/db/migrate.ts'
import { holdServer } from './data-dir-lock.ts'

/** Opens the configured database for one command and leaves the embedded server as it was found. */
export async function withGround(
  work: (ground: Ground, migration: MigrationResult) => Promise<void>,
): Promise<void> {
  const holds: (() => Promise<void>)[] = []
  try {
    const { ground, migration } = await openGround(readConfig(process.env), {
      // Held from here on, because the rest of the opening may fail and would leave a server behind.
      onEmbedded: async embedded => void holds.push(await holdServer(embedded)),
    })
    try {
      await work(ground, migration)
    } finally {
      await ground.db.close()
    }
  } finally {
    for (const letGo of holds) await letGo()
  }
}
