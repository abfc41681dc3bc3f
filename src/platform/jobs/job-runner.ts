import type { Clock } from '../clock.ts'
import { askAs } from '../db/connection-turns.ts'
import type { WakeupChannel } from '../db/transaction.ts'
import type { WakeupSubscription } from '../db/wakeup.ts'
import { isMoving } from '../errors.ts'
import { type JobFigures, JobRecord } from './figures.ts'
import { type Job, Slots, runUntilDone } from './job.ts'
import type { Log } from '../log.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { addAll } from '../lists.ts'

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
    // Each loop waits for connections in turns of its own.
    this.#loops.forEach((loop, index) =>
      askAs({ name: `job ${this.#jobs[index]?.name}` }, () => loop.start()),
    )
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

/** One job's loop: runs what is due, then pauses until the next row falls due; after a failure it backs off. */
class JobLoop {
  readonly #job: Job
  readonly #record: JobRecord
  readonly #clock: Clock
  readonly #timing: JobTiming
  readonly #slots: Slots
  #running: Promise<void> | null = null
  #stopped = false
  /** Something came while it worked. */
  #isWoken = false
  #endPause: () => void = () => {}
  /** Ends a pause in which nothing was known to be due. */
  #wakeUp: () => void = () => {}

  constructor(job: Job, record: JobRecord, { clock, timing }: { clock: Clock; timing: JobTiming }) {
    this.#job = job
    this.#record = record
    this.#clock = clock
    this.#timing = timing
    const { name, concurrency: size, timeLimitMs } = job
    this.#slots = new Slots({ job: name, size, timeLimitMs, onEnd: end => record.endTask(end) })
  }

  get abandoned(): number {
    return this.#slots.abandoned
  }

  start(): void {
    this.#running ??= this.#loop()
  }

  /** There may be something to do before the next look. */
  wake(): void {
    this.#isWoken = true
    this.#wakeUp()
  }

  /** Ends after the rows at hand, or when their time limit abandons them. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#slots.close()
    this.#endPause()
    await this.#running
  }

  async #loop(): Promise<void> {
    if (this.#job.kind === 'purge') await this.#pause(Math.random() * this.#timing.firstPurgeWithinMs)
    while (!this.#stopped) await this.#pause(await this.#runOnce())
    await this.#slots.idle()
  }

  /** Returns for how long to pause. */
  async #runOnce(): Promise<number> {
    try {
      this.#isWoken = false
      const isMore = await this.#job.run(this.#slots)
      this.#record.endRun()
      return isMore ? 0 : await this.#sleepUntilDue()
    } catch (error) {
      if (isMoving(error)) return this.#timing.heldPauseMs
      this.#record.failRun(error)
      return backOffMs(this.#record.failedRuns, this.#timing)
    }
  }

  /** Pauses until something is due or somebody notifies it, so that nothing is left to pause for afterwards. */
  async #sleepUntilDue(): Promise<number> {
    const ms = await this.#untilDue()
    const { wakeupDelayMs } = this.#timing
    const soon = (): void => void setTimeout(this.#endPause, wakeupDelayMs)
    const sleeping = this.#pause(ms)
    this.#wakeUp = soon
    if (this.#isWoken) soon()
    await sleeping
    this.#wakeUp = () => {}
    return 0
  }

  async #untilDue(): Promise<number> {
    const { longestPauseMs, heldPauseMs, purgeEveryMs } = this.#timing
    if (this.#job.kind === 'purge') return purgeEveryMs
    const next = (await this.#job.nextDueAt?.()) ?? null
    if (next === null) return longestPauseMs
    const inMs = next.getTime() - this.#clock.now().getTime()
    return inMs <= 0 ? heldPauseMs : Math.min(inMs, longestPauseMs)
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#stopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#endPause = resolve
    await promise
    clearTimeout(timer)
  }
}

/** All times are real; tests shorten them. */
export type JobTiming = {
  /** A job looks at least so often while anything is written, whatever it knows about what falls due. */
  longestPauseMs: number
  /** Pause between looks while nothing is due. */
  quietPauseMs: number
  /** Time from a notification to the look: what comes in the meantime is taken in one batch. */
  wakeupDelayMs: number
  /** Rows that are due and could not be claimed are held by another process: asking without a pause would only burn CPU. */
  heldPauseMs: number
  firstBackOffMs: number
  longestBackOffMs: number
  purgeEveryMs: number
  /** The first purge waits for a random part of it, so that processes that start together do not purge together. */
  firstPurgeWithinMs: number
}

const STANDARD_TIMING: JobTiming = {
  longestPauseMs: 5_000,
  quietPauseMs: 60_000,
  wakeupDelayMs: 200,
  heldPauseMs: 500,
  firstBackOffMs: 500,
  longestBackOffMs: 15_000,
  purgeEveryMs: 3_600_000,
  firstPurgeWithinMs: 60_000,
}

/** Doubles with each failure in a row; between half and all of it, so that jobs that failed together spread out. */
function backOffMs(failuresInARow: number, timing: JobTiming): number {
  const { firstBackOffMs, longestBackOffMs } = timing
  const whole = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (failuresInARow - 1))
  return whole * (0.5 + Math.random() / 2)
}

type Records = ReadonlyMap<string, JobRecord>
type Counts = Record<string, number>

/** Runs the jobs one after the other, each row by row: a moved clock does everything in a stated order. */
async function runInOrder(
  jobs: readonly Job[],
  records: Records,
): Promise<{ done: Counts; failed: Counts; errors: unknown[] }> {
  const done: Counts = {}
  const failed: Counts = {}
  const errors: unknown[] = []
  for (const job of jobs) {
    const { rows, failures } = await runHere(job, records.get(job.name))
    done[job.name] = rows
    if (failures.size > 0) failed[job.name] = failures.size
    addAll(errors, failures)
  }
  return { done, failed, errors }
}

async function runHere(
  { name, run, timeLimitMs }: Job,
  record: JobRecord | undefined,
): Promise<{ rows: number; failures: Set<unknown> }> {
  let rows = 0
  const failures = new Set<unknown>()
  const slots = new Slots({
    job: name,
    size: 1,
    timeLimitMs,
    onEnd(end) {
      record?.endTask(end)
      if ('error' in end) failures.add(end.error)
      else rows += end.rows
    },
  })
  try {
    await runUntilDone(run, slots)
    record?.endRun()
  } catch (error) {
    record?.failRun(error)
    failures.add(error)
  }
  return { rows, failures }
}

const FINISH_LIMIT_MS = 60_000
const AGAIN_MS = 100
const MOST_FAILED_RUNS = 3

/**
 * Does everything that is due and waits for what other processes are doing of it. A job that keeps failing is left for
 * later, so that time goes on without it. A database that is away is no failure of a job: it ends the move. Returns how
 * often each job failed that did.
 */
async function finishAllDue(jobs: readonly Job[], records: Records, clock: Clock): Promise<Counts> {
  const failed: Counts = {}
  const failedRuns: Counts = {}
  const deadline = Date.now() + FINISH_LIMIT_MS
  for (let left = jobs; Date.now() < deadline;) {
    const round = await runInOrder(left, records)
    addCounts(failed, round.failed)
    for (const name of Object.keys(round.failed)) failedRuns[name] = (failedRuns[name] ?? 0) + 1
    left = left.filter(({ name }) => (failedRuns[name] ?? 0) < MOST_FAILED_RUNS)
    if (!(await isAnyDue(left, clock))) break
    // If rows are due and none was done, another process holds them or they fail: wait before the next round.
    if (Object.values(round.done).every(rows => rows === 0)) await wait(AGAIN_MS)
  }
  return failed
}

export function addCounts(sum: Counts, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count
}

async function isAnyDue(jobs: readonly Job[], clock: Clock): Promise<boolean> {
  const nexts = await Promise.all(jobs.map(async job => (await job.nextDueAt?.()) ?? null))
  const soon = new Date(clock.now().getTime() + AGAIN_MS)
  return nexts.some(next => next !== null && next <= soon)
}
