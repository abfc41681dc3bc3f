import type { Database } from '../platform/db/database.ts'
import { type Disk, readDisk } from '../platform/retention/disk.ts'
import type { Log } from '../platform/log.ts'
import type { SharedFigure } from '../http/metrics.ts'
import type { Config } from './config.ts'
import { MAX_SKEW_MS } from './doctor/doctor.rules.ts'

/** Null: not looked at yet, or not of this machine. */
type MachineReading = { skewMs: number | null; disk: Disk | null }

/** What somebody has to mend before it stops everything; requests are answered meanwhile. */
export function machineWarnings({ skewMs, disk }: MachineReading): string[] {
  const warnings: string[] = []
  if (skewMs !== null && Math.abs(skewMs) > MAX_SKEW_MS)
    warnings.push(
      `The clock of this machine is ${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database's.`,
    )
  if (disk?.isAlmostFull === true)
    warnings.push(`The disk of DATA_DIR is almost full: ${(disk.freeBytes / 1e9).toFixed(1)} GB are free.`)
  return warnings
}

/**
 * The clock of this machine beside the database's, and the disk of an embedded server, which has no other clock. Looked
 * at every minute and when figures are read; the log says when a warning comes and when it is over.
 */
export class Machine {
  readonly #db: Database
  readonly #config: Pick<Config, 'dataDir' | 'databaseUrl'>
  readonly #log: Log
  readonly #now: () => number
  #seen: MachineReading = { skewMs: null, disk: null }
  #told = ''

  constructor(
    db: Database,
    config: Pick<Config, 'dataDir' | 'databaseUrl'>,
    log: Log,
    now: () => number = Date.now,
  ) {
    this.#db = db
    this.#config = config
    this.#log = log
    this.#now = now
  }

  get warnings(): string[] {
    return machineWarnings(this.#seen)
  }

  async look(): Promise<MachineReading> {
    const { databaseUrl, dataDir } = this.#config
    this.#seen =
      databaseUrl === null
        ? { skewMs: null, disk: await readDisk(dataDir) }
        : { skewMs: await this.#readSkew(), disk: null }
    const { warnings } = this
    // Its figures change from look to look.
    const told = warnings.map(text => text.split(' ', 5).join(' ')).join()
    if (told !== this.#told && warnings.length > 0)
      this.#log.warn({ warnings }, 'this machine needs attention')
    else if (told !== this.#told) this.#log.info('this machine is well again')
    this.#told = told
    return this.#seen
  }

  /** Positive: ours is ahead. The database told its time somewhere between the two readings. */
  async #readSkew(): Promise<number> {
    const before = this.#now()
    const [row] = await this.#db.query<{ now: Date }>('select clock_timestamp() as now')
    if (row === undefined) throw new Error('the database answered without a row')
    return (before + this.#now()) / 2 - row.now.getTime()
  }

  figures(): SharedFigure[] {
    return [
      {
        name: 'bursar_clock_skew_seconds',
        help: 'How far the clock of this machine is ahead of the database’s; none with an embedded server',
        read: async () => {
          const { skewMs } = await this.look()
          return one(skewMs === null ? null : skewMs / 1_000)
        },
      },
      {
        name: 'bursar_disk_free_bytes',
        help: 'Free on the disk of DATA_DIR; none without an embedded server',
        read: async () => one((await this.look()).disk?.freeBytes),
      },
    ]
  }
}

function one(value: number | null | undefined): ReadonlyMap<string, number> {
  return new Map(value === null || value === undefined ? [] : [['', value]])
}
