import * as store from '../imports.store.ts'
import * as rowStore from './rows.store.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { digestStructures } from '../../fees/structures/structures.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { ProcessFailure } from '../../platform/process-pool/process-pool.ts'
import { isLostRace } from '../../students/registration/register-students.service.ts'
import { FileRefused } from '../files/columns.rules.ts'
import { withReader } from '../files/read-rows.ts'
import { stateAfterCheck, unreadableWords, waitingWords } from '../imports.rules.ts'
import type { ImportContext, Outcome } from '../kinds/kind.ts'
import { importKinds } from '../kinds/kinds.ts'
import type { RowProblem } from '../kinds/merge.rules.ts'
import {
  checkFile,
  readStoredFile,
  joinCodes,
  judgeChunk,
  readChunks,
  type CheckTarget,
  type Report,
  type Chunk,
} from './check.service.ts'
import { planByKeys } from './rows.store.ts'
import type { Log } from '../../platform/log.ts'
import { findUnfinished } from '../imports.store.ts'

/**
 * An import goes on in steps, each one transaction that holds the import's row: the check of the whole file, then the
 * whole file when all of it is to be applied, or two seconds' worth of students when only the good rows are. Any number of
 * processes look for steps to do; one that dies in the middle of a step leaves no trace of it.
 */
export type Step = 'done' | 'busy' | 'over'

export type StepOptions = {
  /** Told how far it is, in percent. */
  onProgress?: ((percent: number) => void) | undefined
  /** A step that is under way is given up. */
  signal?: AbortSignal | undefined
}

const MAX_TRIES = 20
/** A file that ends the process that reads it is given one more chance: the machine may have been at fault. */
const MAX_READER_FAILURES = 2
const REPORT_EVERY_MS = 300
/** How long students of a file stay held, when not all of them have to be. */
const SLICE_MS = 2_000

export async function advanceImport(
  ctx: Context,
  key: store.ImportKey,
  watch: StepOptions = {},
): Promise<Step> {
  try {
    const step = await ctx.db.transaction(tx => runStep(ctx, tx, key, watch))
    if (step === 'done') await store.endTry(ctx.db, key)
    return step
  } catch (error) {
    if (error instanceof FileRefused) return end(ctx, key, { state: 'failed', message: error.message })
    if (error instanceof TurnedBad) return sendBack(ctx, key, error.problems)
    // Somebody registered a student of the file since we looked; now we see it.
    if (isLostRace(error)) return 'done'
    if (!(error instanceof ProcessFailure)) throw error
    if ((await store.countReaderFailure(ctx.db, key)) < MAX_READER_FAILURES) throw error
    return end(ctx, key, { state: 'failed', message: unreadableWords(error.reason) })
  }
}

/** Goes on until there is nothing more to do, in this process or another. */
export async function finishImport(
  ctx: Context,
  key: store.ImportKey,
  watch: StepOptions = {},
): Promise<void> {
  for (;;) {
    const step = await advanceImport(ctx, key, watch).catch(retryReading)
    if (step === 'over') return
    if (step === 'done') continue
    await wait(REPORT_EVERY_MS)
    watch.onProgress?.((await store.findImport(ctx.db, key))?.percent ?? 100)
  }
}

function retryReading(error: unknown): Step {
  if (error instanceof ProcessFailure) return 'done'
  throw error
}

async function runStep(
  ctx: Context,
  tx: Transaction,
  key: store.ImportKey,
  watch: StepOptions,
): Promise<Step> {
  const one = await store.lockImport(tx, key)
  if (one === null) return (await store.findImport(ctx.db, key)) === null ? 'over' : 'busy'
  if (one.state !== 'checking' && one.state !== 'running') return 'over'
  if ((await store.beginTry(ctx.db, key)) > MAX_TRIES) throw new FileRefused(GAVE_UP)
  const [institute] = await getInstitutesById(ctx, [key.instituteId])
  if (institute === undefined) throw new Error('an institute vanished')
  const context = contextOf(ctx, institute, one)
  const progress = new Progress(ctx, key, watch)
  if (one.state === 'running') await planByKeys(tx)
  try {
    if (one.state === 'checking') await check(ctx, tx, { key, one, context, progress })
    else await apply(ctx, tx, { key, one, context, progress })
  } finally {
    await progress.written
  }
  return 'done'
}

export function contextOf(
  { clock, publicUrl }: Context,
  institute: Institute,
  { id, options }: Pick<store.Import, 'id' | 'options'>,
): ImportContext {
  return { institute, now: clock.now(), gradeNames: new Map(), importId: id, options, publicUrl }
}

const GAVE_UP =
  'It was interrupted too often. Send the file again; what was applied stays and is not applied twice.'

type ImportWork = { key: store.ImportKey; one: store.Import; context: ImportContext; progress: Progress }

async function check(ctx: Context, tx: Transaction, { progress, ...work }: ImportWork): Promise<void> {
  await withReader({ share: work.key.instituteId, isUrgent: false }, readRows => {
    const { limits, mergedFields = [] } = importKinds[work.one.kind]
    const names = work.one.columns?.names ?? []
    const merged = names.flatMap((name, index) => (mergedFields.includes(name ?? '') ? index : []))
    const wanted = { format: work.one.fileFormat, limits, merged }
    const rows = readRows(wanted, readStoredFile(ctx.db, work.key))
    return checkImport(tx, { ...work, rows }, share => progress.tell(share))
  })
}

/** Reads and judges the file, and decides how the import goes on. */
export async function checkImport(tx: Transaction, target: CheckTarget, report: Report): Promise<void> {
  const { key, one, context } = target
  const checked = await checkFile(tx, target, report)
  const state = stateAfterCheck(one, checked)
  await store.updateImport(tx, key, {
    ...checked,
    state,
    message: state === 'checked' ? waitingWords(one, checked) : null,
    structuresDigest: one.kind === 'roster' ? await digestStructures(tx, context.institute.id) : null,
    checkedAt: context.now,
    startedAt: state === 'running' ? context.now : null,
  })
}

/**
 * All of the file, or nothing of it; or, when only the good rows are wanted, as many as a moment allows. A
 * problem that only shows now then keeps nobody else back.
 */
async function apply(
  ctx: Context,
  tx: Transaction,
  { key, one, context, progress }: ImportWork,
): Promise<void> {
  const { appliedRows, unchangedRows, badRows, failedRows, nextGroup } = one
  const sum = { appliedRows, unchangedRows, badRows, failedRows, nextGroup }
  const { stepRows } = importKinds[one.kind]
  const deadline = one.mode === 'all' ? Infinity : performance.now() + SLICE_MS
  // Read beside the transaction: the next rows come while these are being written.
  for await (const chunk of ahead(readChunks(ctx.db, key, nextGroup, stepRows))) {
    const { problems, outcome } = await applyChunk(ctx, tx, { one, context }, chunk)
    if (problems.length > 0 && one.mode === 'all') throw new TurnedBad(problems)
    await rowStore.insertProblems(tx, key, problems)
    sum.appliedRows += outcome.appliedRows
    sum.unchangedRows += outcome.unchangedRows
    const failed = new Set(problems.map(problem => problem.rowNo)).size
    sum.badRows += failed
    sum.failedRows += failed
    sum.nextGroup = chunk.lastGroup
    progress.tell(chunk.lastGroup / (one.totalRows + 1))
    if (stepRows !== undefined || performance.now() > deadline) return store.updateImport(tx, key, sum)
  }
  await store.updateImport(tx, key, { ...sum, state: 'done', finishedAt: context.now })
}

async function applyChunk(
  ctx: Context,
  tx: Transaction,
  { one, context }: Pick<ImportWork, 'one' | 'context'>,
  chunk: Chunk,
): Promise<{ problems: RowProblem[]; outcome: Outcome }> {
  await joinCodes(ctx.db, one.kind, context, chunk)
  const judged = await judgeChunk(tx, one.kind, context, chunk, { isLocked: true })
  return { problems: judged.problems, outcome: await judged.apply(tx) }
}

/** Rows were good when they were checked and are not any more. */
class TurnedBad extends Error {
  override readonly name = 'TurnedBad'
  readonly problems: RowProblem[]

  constructor(problems: RowProblem[]) {
    super('rows have turned bad since they were checked')
    this.problems = problems
  }
}

/** The person decides anew, now that there are bad rows. */
async function sendBack(ctx: Context, key: store.ImportKey, problems: readonly RowProblem[]): Promise<Step> {
  return ctx.db.transaction(async tx => {
    const one = await store.lockImport(tx, key)
    if (one?.state !== 'running') return 'busy'
    const bad = new Set(problems.map(problem => problem.rowNo))
    await rowStore.insertProblems(tx, key, problems)
    await rowStore.deleteRowsByNumber(tx, key, [...bad])
    const checked = { totalRows: one.totalRows, badRows: one.badRows + bad.size }
    await store.updateImport(tx, key, { ...checked, state: 'checked', message: waitingWords(one, checked) })
    return 'done'
  })
}

async function end(ctx: Context, key: store.ImportKey, change: store.ImportChange): Promise<Step> {
  return ctx.db.transaction(async tx => {
    const one = await store.lockImport(tx, key)
    if (one === null) return 'busy'
    if (one.finishedAt === null) await store.updateImport(tx, key, { ...change, finishedAt: ctx.clock.now() })
    return 'done'
  })
}

/** Asks for the next before it is wanted. */
async function* ahead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next()
  for (;;) {
    const { value, done } = await next
    if (done === true) return
    next = items.next()
    // Told of when it is waited for.
    next.catch(() => {})
    yield value
  }
}

/** Tells how far a step is, now and then, beside the step's own transaction; and gives it up when asked to. */
class Progress {
  readonly #ctx: Context
  readonly #key: store.ImportKey
  readonly #watch: StepOptions
  #toldAt = 0
  written: Promise<void> = Promise.resolve()

  constructor(ctx: Context, key: store.ImportKey, watch: StepOptions) {
    this.#ctx = ctx
    this.#key = key
    this.#watch = watch
  }

  tell(share: number): void {
    this.#watch.signal?.throwIfAborted()
    const now = performance.now()
    if (now - this.#toldAt < REPORT_EVERY_MS) return
    this.#toldAt = now
    const percent = Math.min(99, Math.floor(share * 100))
    this.#watch.onProgress?.(percent)
    // Nothing depends on it.
    this.written = store.setProgress(this.#ctx.db, this.#key, percent).catch(() => {})
  }
}

/**
 * Goes on with whatever imports are unfinished, one step each in turn, so that a large file does not keep a small one
 * waiting. It sleeps until it is notified or a few seconds have passed. Processes that do this side by side share the work:
 * a step holds its import, and others pass it by.
 */
const AT_ONCE = 20
const LOOK_EVERY_MS = 5_000
const AFTER_FAILURE_MS = 2_000

export class ImportEngine {
  readonly #ctx: Context
  readonly #log: Log
  readonly #listener: { start(): void; stop(): Promise<void> }
  readonly #stop = new AbortController()
  #ring: () => void = () => {}
  #running: Promise<void> | null = null

  constructor(ctx: Context, log: Log) {
    this.#ctx = ctx
    this.#log = log
    this.#listener = ctx.db.listen('imports', () => this.#ring())
  }

  start(): void {
    if (this.#running !== null) return
    this.#listener.start()
    this.#running = this.#loop()
  }

  /** A step under way is given up and undone; the next process begins it anew. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#ring()
    await this.#listener.stop()
    await this.#running
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const { promise: notified, resolve } = Promise.withResolvers<void>()
      this.#ring = resolve
      const done = await this.#advanceEach()
      if (done === 'some') continue
      const sleepMs = done === 'failed' ? AFTER_FAILURE_MS : LOOK_EVERY_MS
      await Promise.race([notified, wait(sleepMs, undefined, { signal }).catch(() => {})])
    }
  }

  /** One that fails keeps no other back. */
  async #advanceEach(): Promise<'some' | 'none' | 'failed'> {
    let isMoved = false
    let isFailed = false
    const attempt = async <Result>(act: () => Promise<Result>): Promise<Result | null> => {
      try {
        return await act()
      } catch (err) {
        isFailed = true
        const { aborted } = this.#stop.signal
        if (!aborted) this.#log.warn({ err }, 'import interrupted, will be retried')
        return null
      }
    }
    const { signal } = this.#stop
    for (const key of (await attempt(() => findUnfinished(this.#ctx.db, AT_ONCE))) ?? []) {
      if (signal.aborted) break
      const step = await attempt(() => advanceImport(this.#ctx, key, { signal }))
      isMoved ||= step === 'done'
    }
    return isMoved ? 'some' : isFailed ? 'failed' : 'none'
  }
}
