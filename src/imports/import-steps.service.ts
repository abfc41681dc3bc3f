import { setTimeout as wait } from 'node:timers/promises'
import { getInstitutesById } from '../institutes/institutes.service.ts'
import { isUniqueViolation } from '../platform/db/errors.ts'
import type { Transaction } from '../platform/db/database.ts'
import type { Context } from '../platform/context.ts'
import { checkFile } from './import-check.service.ts'
import { FileRefused } from './import-file-rows.ts'
import { joinCodes, judgeGroups, readChunks, type Chunk } from './import-groups.service.ts'
import * as rowStore from './import-rows.store.ts'
import type { ImportScene, Outcome } from './import-scene.ts'
import type { RowProblem } from './import-units.rules.ts'
import { planByKeys } from './imports-bulk.store.ts'
import { stateAfterCheck, waitingWords, type ImportKind } from './imports.rules.ts'
import * as store from './imports.store.ts'

/**
 * An import goes on in steps, each one transaction that holds the import's row: the check of the whole file, then the
 * whole file when all of it is to be applied, or two seconds' worth of students when only the good rows are. Any number of
 * processes look for steps to do; one that dies in the middle of a step leaves no trace of it.
 */
export type Step = 'done' | 'busy' | 'over'

export type Watch = {
  /** Told how far it is, in percent. */
  onProgress?: ((percent: number) => void) | undefined
  /** A step that is under way is given up. */
  signal?: AbortSignal | undefined
}

const MAX_TRIES = 20
const REPORT_EVERY_MS = 300
/** How long students of a file stay held, when not all of them have to be. */
const SLICE_MS = 2_000

export async function advanceImport(ctx: Context, key: store.ImportKey, watch: Watch = {}): Promise<Step> {
  try {
    const step = await ctx.db.transaction(tx => runStep(ctx, tx, key, watch))
    if (step === 'done') await store.endTry(ctx.db, key)
    return step
  } catch (error) {
    if (error instanceof FileRefused) return end(ctx, key, { state: 'failed', message: error.message })
    if (error instanceof TurnedBad) return sendBack(ctx, key, error.problems)
    // Somebody registered a student of the file since we looked; now we see it.
    if (isUniqueViolation(error, 'students_identity')) return 'done'
    throw error
  }
}

/** Goes on until there is nothing more to do, whoever does it. */
export async function finishImport(ctx: Context, key: store.ImportKey, watch: Watch = {}): Promise<void> {
  for (;;) {
    const step = await advanceImport(ctx, key, watch)
    if (step === 'over') return
    if (step === 'done') continue
    await wait(REPORT_EVERY_MS)
    watch.onProgress?.((await store.findImport(ctx.db, key))?.percent ?? 100)
  }
}

async function runStep(ctx: Context, tx: Transaction, key: store.ImportKey, watch: Watch): Promise<Step> {
  const one = await store.lockImport(tx, key)
  if (one === null) return (await store.findImport(ctx.db, key)) === null ? 'over' : 'busy'
  if (one.state !== 'checking' && one.state !== 'running') return 'over'
  if ((await store.beginTry(ctx.db, key)) > MAX_TRIES) throw new FileRefused(GAVE_UP)
  const [institute] = await getInstitutesById(ctx, [key.instituteId])
  if (institute === undefined) throw new Error('an institute vanished')
  const scene: ImportScene = { institute, now: ctx.clock.now(), gradeNames: new Map() }
  const progress = new Progress(ctx, key, watch)
  if (one.state === 'running') await planByKeys(tx)
  try {
    if (one.state === 'checking') await check(ctx, tx, { key, one, scene, progress })
    else await apply(ctx, tx, { key, one, scene, progress })
  } finally {
    await progress.written
  }
  return 'done'
}

const GAVE_UP =
  'It was interrupted too often. Send the file again; what was applied stays and is not applied twice.'

type Work = { key: store.ImportKey; one: store.Import; scene: ImportScene; progress: Progress }

async function check(ctx: Context, tx: Transaction, { key, one, scene, progress }: Work): Promise<void> {
  const checked = await checkFile(ctx, tx, { key, one, scene }, share => progress.tell(share))
  const state = stateAfterCheck(one, checked)
  await store.updateImport(tx, key, {
    ...checked,
    state,
    message: state === 'checked' ? waitingWords(one, checked) : null,
    checkedAt: scene.now,
  })
}

/**
 * All of the file, or nothing of it; or, when only the good rows are wanted, as many students as a moment allows. A
 * problem that only shows now then keeps nobody else back.
 */
async function apply(ctx: Context, tx: Transaction, { key, one, scene, progress }: Work): Promise<void> {
  const { appliedRows, unchangedRows } = one
  const sum = { appliedRows, unchangedRows, badRows: one.badRows, nextGroup: one.nextGroup }
  const deadline = one.mode === 'all' ? Infinity : performance.now() + SLICE_MS
  // Read beside the transaction: the next rows come while these are being written.
  for await (const chunk of ahead(readChunks(ctx.db, key, one.nextGroup))) {
    const { problems, outcome } = await applyChunk(ctx, tx, { one, scene }, chunk)
    if (problems.length > 0 && one.mode === 'all') throw new TurnedBad(problems)
    await rowStore.insertProblems(tx, key, problems)
    sum.appliedRows += outcome.appliedRows
    sum.unchangedRows += outcome.unchangedRows
    sum.badRows += new Set(problems.map(problem => problem.rowNo)).size
    sum.nextGroup = chunk.lastGroup
    progress.tell(chunk.lastGroup / (one.totalRows + 1))
    if (performance.now() > deadline) return store.updateImport(tx, key, sum)
  }
  await store.updateImport(tx, key, { ...sum, state: 'done', finishedAt: scene.now })
}

async function applyChunk(
  ctx: Context,
  tx: Transaction,
  { one, scene }: Pick<Work, 'one' | 'scene'>,
  chunk: Chunk<ImportKind>,
): Promise<{ problems: RowProblem[]; outcome: Outcome }> {
  await joinCodes(ctx.db, one.kind, scene, chunk.rows)
  const judged = await judgeGroups(tx, one.kind, scene, chunk.rows, { isHeld: true })
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

/** To be decided anew, now that there are bad rows. */
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
  readonly #watch: Watch
  #toldAt = 0
  written: Promise<void> = Promise.resolve()

  constructor(ctx: Context, key: store.ImportKey, watch: Watch) {
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
