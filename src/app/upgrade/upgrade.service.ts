import type { Config } from '../config.ts'
import { readVersion } from '../installation.ts'
import { readOwnServer } from '../status/status.service.ts'
import { readTableSizes } from '../status/status.store.ts'
import { estimateSteps, type UpgradeStep } from './upgrade.rules.ts'
import { largestOf } from '../../platform/lists.ts'
import type { Database } from '../../platform/db/database.ts'
import { readPending } from '../../platform/db/migrate.ts'
import { type Disk, readDisk } from '../../platform/retention/disk.ts'

export type UpgradePlan = {
  version: string
  /** How far the database is, and how far this version brings it. */
  from: number
  to: number
  migrations: { name: string; steps: UpgradeStep[] }[]
  /** Estimates. */
  seconds: number
  bytes: number
  /** Null: the database has a server of its own. */
  disk: Disk | null
  /** Whether processes of the version before may go on working beside this one. */
  staysUp: boolean
  problems: string[]
}

/** What a start of this version would do to the database; reads, and changes nothing. */
export async function planUpgrade(config: Config, db: Database): Promise<UpgradePlan> {
  await readOwnServer(config, db)
  const [{ version: from, pending }, sizes] = await Promise.all([readPending(db), readTableSizes(db)])
  const bytesOf = new Map(sizes.map(({ name, bytes }) => [name, bytes]))
  const migrations = pending.map(({ name, sql }) => ({ name, steps: estimateSteps(sql, bytesOf) }))
  const steps = migrations.flatMap(one => one.steps)
  const bytes = steps.reduce((sum, step) => sum + step.bytes, 0)
  const disk = config.databaseUrl === null ? await readDisk(config.dataDir) : null
  return {
    version: readVersion(),
    from,
    to: from + pending.length,
    migrations,
    seconds: steps.reduce((sum, step) => sum + step.seconds, 0),
    bytes,
    disk,
    staysUp: largestOf(pending.map(({ worksFrom }) => worksFrom)) <= from,
    problems:
      disk !== null && disk.freeBytes < bytes
        ? ['The disk of DATA_DIR has too little room for it: make room first.']
        : [],
  }
}
