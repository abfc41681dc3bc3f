import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { WakeupChannel } from '../db/transaction.ts'
import type { WakeupSubscription } from '../db/wakeup.ts'
import { finishAllDue, runInOrder } from './catch-up.ts'
import { JobRecord, type JobFigures } from './figures.ts'
import type { Job } from './job.ts'
import { JobLoop, STANDARD_TIMING, type JobTiming } from './job-loop.ts'

export type JobStatus = JobFigures &
  Pick<Job, 'name' | 'kind'> & {
    /** Rows and batches that passed their time limit and have not ended yet. */
    abandoned: number
  }

type JobRunnerOptions = {
  clock: Clock
  log: Log
  timing?: Partial<JobTiming>
  /** How a job hears that there is something to do; absent: it looks now and then. */
  listen?: (channel: WakeupChannel, onWakeup: () => void) => WakeupSubscription
  /** Reads what differs after every transaction that wrote something; absent: jobs look whether or not anything was written. */
  readPulse?: () => Promise<string>
}

/**
 * Runs the jobs side by side, each in a loop of its own: one that fails, hangs or has a backlog delays no other. Any
 * number of processes may do so over one database, because every claim skips what others hold.
 */
export class JobRunner {
  readonly #jobs: readonly Job[]
  readonly #records: ReadonlyMap<string, JobRecord>
  readonly #loops: readonly JobLoop[]
  readonly #clock: Clock
  readonly #wakeups: readonly WakeupSubscription[]
  #isStarted = false

  constructor(jobs: readonly Job[], { clock, log, timing: given = {}, listen, readPulse }: JobRunnerOptions) {
    this.#jobs = jobs
    this.#clock = clock
    this.#records = new Map(
      jobs.map(({ name }) => [
        name,
        new JobRecord((err, failures) =>
          log.warn({ err, job: name, failures_in_a_row: failures }, 'job failed, will be retried'),
        ),
      ]),
    )
    const timing = { ...STANDARD_TIMING, ...given }
    const { longestPauseMs, quietPauseMs } = timing
    const ofLoops = { ...timing, longestPauseMs: readPulse === undefined ? longestPauseMs : quietPauseMs }
    this.#loops = jobs.map(job => new JobLoop(job, this.#record(job.name), { clock, timing: ofLoops }))
    const notified = jobs.flatMap(({ wakesOn }, index) =>
      wakesOn === undefined || listen === undefined
        ? []
        : [listen(wakesOn, () => this.#loops[index]?.wake())],
    )
    const working = this.#loops.filter((_, index) => jobs[index]?.kind === 'work')
    const pulses = readPulse === undefined ? [] : [new Pulse(readPulse, longestPauseMs, working)]
    this.#wakeups = [...notified, ...pulses]
  }

  start(): void {
    this.#isStarted = true
    for (const wakeup of this.#wakeups) wakeup.start()
    for (const loop of this.#loops) loop.start()
  }

  /** Ends after the rows at hand. */
  async stop(): Promise<void> {
    await Promise.all([...this.#loops, ...this.#wakeups].map(each => each.stop()))
  }

  /** False in a process that leaves the jobs to others. */
  get isStarted(): boolean {
    return this.#isStarted
  }

  /** Jobs of this process, in the order of the table. */
  get statuses(): JobStatus[] {
    return this.#jobs.map(({ name, kind }, index) => ({
      name,
      kind,
      abandoned: this.#loops[index]?.abandoned ?? 0,
      ...this.#record(name).figures,
    }))
  }

  /** How long the oldest row of each job has been due, whichever process is to do it; 0: nothing is due. */
  async oldestDueMs(): Promise<Map<string, number>> {
    const ages = await Promise.all(
      this.#jobs.map(async (job): Promise<[string, number][]> => {
        if (job.nextDueAt === undefined) return []
        const next = await job.nextDueAt()
        return [[job.name, next === null ? 0 : Math.max(0, this.#clock.now().getTime() - next.getTime())]]
      }),
    )
    return new Map(ages.flat())
  }

  /** Runs what is due of one kind, job by job in the order of the table; returns how many rows each had. */
  async runAllDue(kind: Job['kind'] = 'work'): Promise<Record<string, number>> {
    const { done, errors } = await runInOrder(this.#ofKind(kind), this.#records)
    if (errors.length > 0) throw errors[0]
    return done
  }

  /** The same for a clock that was moved: waits for what other processes hold, and collects failures. */
  async finishAllDue(): Promise<Record<string, number>> {
    return finishAllDue(this.#ofKind('work'), this.#records, this.#clock)
  }

  /** How many rows each job of work has had since the start, whichever loop or moved clock did them. */
  get rowsDone(): Record<string, number> {
    return Object.fromEntries(this.#ofKind('work').map(({ name }) => [name, this.#record(name).figures.rows]))
  }

  /** The first moment at which a moving clock must stop. */
  async nextStop(): Promise<Date | null> {
    const stops = await Promise.all(this.#jobs.map(async job => (await job.nextStop?.()) ?? null))
    return stops.reduce(
      (first, stop) => (first === null || (stop !== null && stop < first) ? stop : first),
      null,
    )
  }

  #ofKind(kind: Job['kind']): Job[] {
    return this.#jobs.filter(job => job.kind === kind)
  }

  #record(name: string): JobRecord {
    const record = this.#records.get(name)
    if (record === undefined) throw new Error(`there is no job ${name}`)
    return record
  }
}

/**
 * Keeps jobs from looking for work in a database in which nothing happens. A row falls due by a write or by the passing of
 * time: the time is known to its job, and this asks, with one statement for all jobs, whether anything was written.
 */
class Pulse {
  readonly #read: () => Promise<string>
  readonly #everyMs: number
  readonly #sleepers: readonly { wake(): void }[]
  readonly #timers = new Set<NodeJS.Timeout>()
  #last: string | null = null
  #asking: Promise<void> | null = null

  constructor(read: () => Promise<string>, everyMs: number, sleepers: readonly { wake(): void }[]) {
    this.#read = read
    this.#everyMs = everyMs
    this.#sleepers = sleepers
  }

  start(): void {
    this.#timers.add(setInterval(() => void (this.#asking ??= this.#ask()), this.#everyMs))
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#asking
  }

  async #ask(): Promise<void> {
    // A database that does not answer says nothing of itself; the jobs find out when they look.
    const now = await this.#read().catch(() => null)
    if (now !== this.#last) this.#wakeInTurn()
    this.#last = now
    this.#asking = null
  }

  /** Spread over half the time until the next question, so that not all ask the database at once. */
  #wakeInTurn(): void {
    const stepMs = this.#everyMs / 2 / this.#sleepers.length
    for (const [index, sleeper] of this.#sleepers.entries()) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        sleeper.wake()
      }, index * stepMs)
      this.#timers.add(timer)
    }
  }
}
