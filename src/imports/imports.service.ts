import { takeDue } from '../platform/jobs/due-rows.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { toPage, type Page, type PageRange } from '../platform/db/list.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { badField, badRequest, conflict, notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { formatOf } from './files/columns.rules.ts'
import * as rowStore from './engine/rows.store.ts'
import { ERP_IMPORTS, ERP_KINDS, type ErpKind, type ImportFamily, type ImportMode } from './imports.rules.ts'
import * as store from './imports.store.ts'
import { DAY_MS } from '../platform/calendar.ts'

export { IMPORTS, type Import } from './imports.store.ts'
export type { Problem } from './engine/rows.store.ts'

/** A file that has arrived whole, wherever it lies. */
export type ImportFile = {
  bytes: number
  /** SHA-256. */
  digest: Buffer
  /** So many bytes from there on, fewer at the end. */
  read(from: number, length: number): Promise<Buffer>
}

export type WantedImport = {
  kind: ErpKind | 'roster'
  mode: ImportMode
  isDryRun: boolean
  file: ImportFile
  /** Set for a list of students that a person uploaded. */
  roster?: Pick<store.NewImport, 'fileName' | 'columns' | 'createdBy'>
}

const PART_BYTES = 262_144
const HEAD_BYTES = 4
const MAX_UNFINISHED = 5
const WORKER_KINDS = [...ERP_KINDS, 'roster'] as const

/** Takes the file over and answers at once; a worker reads it. */
export async function createImport(
  ctx: Context,
  command: Command<store.Import>,
  institute: Institute,
  { kind, mode, isDryRun, file, roster }: WantedImport,
): Promise<store.Import> {
  if (file.bytes === 0) throw badRequest('The body is empty. Send the file itself as the body.')
  if (institute.branches.length === 0) throw conflict('The institute has no branch yet; add one first.')
  const key = { instituteId: institute.id, id: newId('imp') }
  const fileFormat = formatOf(await file.read(0, HEAD_BYTES))
  return transact(ctx.db, command, async tx => {
    if ((await store.countUnfinished(tx, institute.id, WORKER_KINDS)) >= MAX_UNFINISHED)
      throw conflict(`${MAX_UNFINISHED} imports are under way already. Wait until one of them is over.`)
    await store.insertImport(tx, institute.id, {
      id: key.id,
      kind,
      mode,
      isDryRun,
      fileFormat,
      fileBytes: file.bytes,
      fileDigest: file.digest,
      fileName: null,
      columns: null,
      createdBy: null,
      ...roster,
      createdAt: ctx.clock.now(),
    })
    for (let partNo = 0; partNo * PART_BYTES < file.bytes; partNo++)
      await store.insertPart(tx, key, partNo, await file.read(partNo * PART_BYTES, PART_BYTES))
    tx.notify('imports')
    return requireImport(await store.findImport(tx, key), { ...ERP_IMPORTS, kinds: WORKER_KINDS })
  })
}

export async function getImport(
  ctx: Context,
  institute: Institute,
  id: string,
  family = ERP_IMPORTS,
): Promise<store.Import> {
  return requireImport(await store.findImport(ctx.db, { instituteId: institute.id, id }), family)
}

const CURSOR = /^(\d{1,9})-(\d{1,15})$/

/** Problems come in the order of the file. */
export async function listProblems(
  ctx: Context,
  institute: Institute,
  id: string,
  {
    cursor = '0-0',
    limit,
    family,
    ...filter
  }: PageRange & { family?: ImportFamily } & rowStore.ProblemFilter,
): Promise<Page<rowStore.Problem>> {
  const key = { instituteId: institute.id, id }
  await getImport(ctx, institute, id, family)
  const [, rowNo, problemNo] = CURSOR.exec(cursor) ?? []
  if (rowNo === undefined)
    throw badField('cursor', 'is not a cursor of this list; use next_cursor of the page before')
  const after = { rowNo: Number(rowNo), problemNo: Number(problemNo) }
  const found = await rowStore.listProblems(ctx.db, key, after, { ...filter, limit: limit + 1 })
  return toPage(found, limit, last => `${last.rowNo}-${last.problemNo}`)
}

/** Students who would owe less after a checked list, and how much less. */
export async function listLowered(db: Queryable, key: store.ImportKey): Promise<rowStore.LoweredRow[]> {
  return rowStore.listLowered(db, key)
}

type ImportTarget = { institute: Institute; id: string; family?: ImportFamily }

/** Applies what was checked and waits: all of it, or the good rows. */
export async function applyImport(
  ctx: Context,
  command: Command<store.Import>,
  target: ImportTarget,
  mode: ImportMode,
): Promise<store.Import> {
  return decide(ctx, command, target, one => {
    if (mode === 'all' && one.badRows > 0)
      throw conflict(`${one.badRows} rows are bad. Send mode good to apply the others, or correct the file.`)
    return { mode, state: 'running', startedAt: ctx.clock.now() }
  })
}

/** Forgets what was checked and waits. */
export async function cancelImport(
  ctx: Context,
  command: Command<store.Import>,
  target: ImportTarget,
): Promise<store.Import> {
  return decide(ctx, command, target, () => ({ state: 'cancelled', finishedAt: ctx.clock.now() }))
}

async function decide(
  ctx: Context,
  command: Command<store.Import>,
  { institute, id, family = ERP_IMPORTS }: ImportTarget,
  change: (one: store.Import) => store.ImportChange,
): Promise<store.Import> {
  const key = { instituteId: institute.id, id }
  return transact(ctx.db, command, async tx => {
    const known = requireImport(await store.findImport(tx, key), family)
    const one = await store.lockImport(tx, key)
    if (one?.state !== 'checked')
      throw conflict(
        `This import is ${one?.state ?? known.state}; this is possible only while it is checked and waits.`,
      )
    return changeImport(tx, key, change(one))
  })
}

/** The caller has locked it. */
export async function changeImport(
  tx: Transaction,
  key: store.ImportKey,
  change: store.ImportChange,
): Promise<store.Import> {
  await store.updateImport(tx, key, change)
  tx.notify('imports')
  const one = await store.findImport(tx, key)
  if (one === null) throw new Error('an import vanished')
  return one
}

const KEPT_WAITING_DAYS = 7
const KEPT_DAYS = 90

/** Files and rows of imports that are over, problems after some months; what nobody decided on is cancelled. */
export async function purgeImports({ db, clock }: Context, limit: number): Promise<number> {
  const now = clock.now()
  const ago = (days: number): Date => new Date(now.getTime() - days * DAY_MS)
  const forgotten = await store.cancelForgotten(db, ago(KEPT_WAITING_DAYS), now)
  const old = await store.findOld(db, ago(KEPT_DAYS), limit)
  const deleted = await takeDue(db, old, (tx, keys) => store.deleteOld(tx, keys))
  // One at a time: a large one takes a while.
  const finished = await store.findFinished(db, now, 1)
  const cleared = await takeDue(db, finished, (tx, keys) => store.clearFinished(tx, now, keys))
  return forgotten + deleted + cleared
}

export function requireImport(one: store.Import | null, { kinds, noun }: ImportFamily): store.Import {
  if (one === null || !kinds.includes(one.kind)) throw notFound(noun)
  return one
}

export async function* partsOf(file: ImportFile): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.bytes; at += PART_BYTES) yield await file.read(at, PART_BYTES)
}
