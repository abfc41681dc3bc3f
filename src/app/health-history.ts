import type { Database, Queryable } from '../platform/db/database.ts'
import { lockSetting, readSetting, writeSetting } from '../platform/db/instance-settings.ts'
import type { JobStatus } from '../platform/jobs/job-runner.ts'
import type { Log } from '../platform/log.ts'

/** A change: what began to fail or warn, or was well again, of which process. */
export type HealthChange = { at: string; process: string; what: string; state: string }

/** All processes share this list: 200 changes are months of a quiet installation and take about 40 kB. */
const MOST_CHANGES = 200
const LONGEST_STATE = 200
const WELL = 'well'

export async function readHealthHistory(db: Queryable): Promise<HealthChange[]> {
  return JSON.parse((await readSetting(db, 'health_history')) ?? '[]') as HealthChange[]
}

type Sources = {
  db: Database
  /** The name that its connections have. */
  process: string
  /** Why requests are refused. */
  findRefusal: () => Promise<Error | null>
  warnings: () => readonly string[]
  jobs: () => readonly Pick<JobStatus, 'name' | 'failuresInARow' | 'lastFailure'>[]
  log: Log
}

/**
 * What /readyz and the jobs of this process said over time. Only changes are kept, and written once the database takes
 * them, so that an outage of the database itself stands there too.
 */
export class HealthHistory {
  readonly #sources: Sources
  readonly #states = new Map<string, string>()
  #unwritten: HealthChange[] = []
  #isStarted = false

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** Null: it is well. A trouble that goes on is one change, whatever its words become. */
  note(what: string, trouble: string | null): void {
    const wasWell = (this.#states.get(what) ?? WELL) === WELL
    if (wasWell === (trouble === null)) return
    const state = (trouble ?? WELL).slice(0, LONGEST_STATE)
    this.#states.set(what, state)
    this.#add(what, state)
  }

  async look(): Promise<void> {
    const { findRefusal, warnings, jobs } = this.#sources
    if (!this.#isStarted) this.#add('process', 'working')
    this.#isStarted = true
    const refusal = await findRefusal()
    this.note('ready', refusal?.message ?? null)
    this.note('machine', warnings().join(' ') || null)
    for (const { name, failuresInARow, lastFailure } of jobs())
      this.note(`job ${name}`, failuresInARow === 0 ? null : (lastFailure?.message ?? 'failed'))
    if (refusal === null) await this.#write()
  }

  /** One that only shows up for moments leaves no trace. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return
    this.#add('process', 'stopped')
    await this.#write().catch((err: unknown) =>
      this.#sources.log.warn({ err }, 'writing the history of health failed'),
    )
  }

  #add(what: string, state: string): void {
    const { process } = this.#sources
    this.#unwritten.push({ at: new Date().toISOString(), process, what, state })
    this.#unwritten = this.#unwritten.slice(-MOST_CHANGES)
  }

  async #write(): Promise<void> {
    const written = this.#unwritten
    if (written.length === 0) return
    await this.#sources.db.transaction(async tx => {
      await lockSetting(tx, 'health_history')
      const changes = [...(await readHealthHistory(tx)), ...written].slice(-MOST_CHANGES)
      await writeSetting(tx, 'health_history', JSON.stringify(changes))
    })
    this.#unwritten = this.#unwritten.filter(change => !written.includes(change))
  }
}
