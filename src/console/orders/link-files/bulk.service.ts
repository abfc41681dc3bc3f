import { catalogueProblems, type CodeInUse } from '../../../institutes/catalogue.service.ts'
import { branchFor, type Institute } from '../../../institutes/institutes.rules.ts'
import { badField, badRequest, BursarError, conflict, notFound } from '../../../platform/errors.ts'
import type { Context } from '../../../platform/context.ts'
import { transact, type Command } from '../../../platform/idempotency.ts'
import { newId } from '../../../platform/ids.ts'
import { FileRefused, formatOf, type FileRow } from '../../../imports/import-file-rows.ts'
import { readRows } from '../../../imports/import-file.ts'
import { matchHeader, takeRow, type Header } from '../../../imports/imports.rules.ts'
import type { ImportFile } from '../../../imports/imports.service.ts'
import { LINK_COLUMNS, MAX_ROWS, newLinks, repeatsAfter, tidyName } from './bulk.rules.ts'
import { readLink, type LinkRow } from './bulk-rows.schemas.ts'
import * as store from './bulk.store.ts'
import * as steps from './bulk-steps.store.ts'
import type { Language, SendChannel } from '../orders.texts.ts'

export type { LinkBatch, MadeLink, Problem } from './bulk.store.ts'

/** Reads a file whole and judges every row of it. Nothing is made yet: somebody looks at the result and starts it. */
export async function checkLinks(
  ctx: Context,
  command: Command<store.LinkBatch>,
  institute: Institute,
  sent: { file: ImportFile; fileName: string | undefined; createdBy: string },
): Promise<store.LinkBatch> {
  const now = ctx.clock.now()
  const checked = await readFile(sent.file, row => branchFor(institute, row.collectorCode), now)
  const outside = await outsideCatalogue(ctx, institute, checked.rows)
  const bad = new Set(outside.map(problem => problem.rowNo))
  const rows = checked.rows.filter(row => !bad.has(row.rowNo))
  return transact(ctx.db, command, async tx => {
    const key = { instituteId: institute.id, id: newId('batch') }
    const batch = await store.insertBatch(tx, institute.id, {
      id: key.id,
      fileName: tidyName(sent.fileName),
      fileDigest: sent.file.digest,
      unknownColumns: checked.unknown,
      totalRows: checked.totalRows,
      badRows: checked.totalRows - rows.length,
      knownRows: await countKnown(ctx, institute.id, rows),
      createdBy: sent.createdBy,
      createdAt: now,
    })
    await store.insertRows(tx, key, rows)
    await store.insertProblems(tx, key, [...checked.problems, ...outside])
    return batch
  })
}

type Checked = {
  rows: store.StagedLink[]
  problems: store.RowProblem[]
  totalRows: number
  unknown: string[]
}

const FEED_BYTES = 65_536

async function readFile(file: ImportFile, branchOf: (row: LinkRow) => string, now: Date): Promise<Checked> {
  const format = formatOf(await file.read(0, 4))
  const checked: Checked = { rows: [], problems: [], totalRows: 0, unknown: [] }
  const firstWith = new Map<string, number>()
  let header: Header | null = null
  try {
    for await (const { rows } of readRows(format, partsOf(file), file.bytes)) {
      for (const row of rows) {
        if (header === null) header = readHeader(row.cells)
        else judge(header, row, { checked, firstWith, branchOf, now })
      }
    }
  } catch (error) {
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
  if (header === null) throw badRequest('The file is empty.')
  if (checked.totalRows === 0) throw badRequest('The file has no rows below its header.')
  return { ...checked, unknown: header.unknown }
}

async function* partsOf(file: ImportFile): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.bytes; at += FEED_BYTES) yield await file.read(at, FEED_BYTES)
}

function readHeader(cells: FileRow['cells']): Header {
  const decision = matchHeader(LINK_COLUMNS, 'A file of links', cells)
  if (decision.kind === 'refused') throw new FileRefused(decision.message)
  return decision.header
}

type Judging = {
  checked: Checked
  firstWith: Map<string, number>
  branchOf: (row: LinkRow) => string
  now: Date
}

function judge(
  header: Header,
  { rowNo, cells }: FileRow,
  { checked, firstWith, branchOf, now }: Judging,
): void {
  const taken = takeRow(header, cells)
  if (taken === null) return
  if (++checked.totalRows > MAX_ROWS)
    throw new FileRefused(`The file has more than ${MAX_ROWS} rows. Split it into several.`)
  const read = readLink(taken.row)
  const problems = [...taken.problems, ...(read.kind === 'bad' ? read.problems : [])]
  if (read.kind === 'good') {
    problems.push(...branchProblems(() => branchOf(read.row)))
    if (read.row.expiresAt !== null && new Date(read.row.expiresAt) <= now)
      problems.push({ column: 'expires_at', message: 'must be in the future' })
    const key = read.key.toString('hex')
    const first = firstWith.get(key)
    if (first !== undefined) problems.push(repeats(first, read.reference))
    else if (problems.length === 0) {
      firstWith.set(key, rowNo)
      checked.rows.push({ rowNo, key: read.key, row: read.row })
    }
  }
  checked.problems.push(...problems.map(problem => ({ rowNo, ...problem })))
}

function repeats(first: number, reference: string | null): { column: string; message: string } {
  return reference === null
    ? { column: '', message: `says the same as row ${first}; give both a reference if two links are wanted` }
    : { column: 'reference', message: `is that of row ${first}; each row needs one of its own` }
}

function branchProblems(branch: () => string): { column: string; message: string }[] {
  try {
    branch()
    return []
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    return (error.problems ?? []).map(({ key, message }) => ({ column: key, message }))
  }
}

/** Codes outside a strict institute's catalogue. */
async function outsideCatalogue(
  { db }: Context,
  institute: Institute,
  rows: readonly store.StagedLink[],
): Promise<store.RowProblem[]> {
  const problems = await catalogueProblems(
    db,
    institute,
    rows.flatMap(({ rowNo, row }) => codesOf(row).map(code => ({ ...code, key: `${rowNo} ${code.key}` }))),
  )
  return problems.map(({ key, message }) => {
    const [rowNo, column = ''] = key.split(' ')
    return { rowNo: Number(rowNo), column, message }
  })
}

export function codesOf(row: LinkRow): CodeInUse[] {
  const components = row.lines.map(({ componentType: code }, index): CodeInUse => {
    return { kind: 'component', code, key: index === 0 ? 'component_type' : `component_type_${index + 1}` }
  })
  return row.grade === null ? components : [...components, { kind: 'grade', code: row.grade, key: 'grade' }]
}

async function countKnown(
  { db, clock }: Context,
  instituteId: number,
  rows: readonly store.StagedLink[],
): Promise<number> {
  const known = await steps.findKeys(
    db,
    instituteId,
    rows.map(row => row.key),
  )
  const freeBefore = repeatsAfter(clock.now())
  return rows.filter(({ key, row }) => {
    const link = known.get(key.toString('hex'))
    return link !== undefined && (hasReference(row) || link.madeAt >= freeBefore)
  }).length
}

export function hasReference({ notes }: LinkRow): boolean {
  return notes.some(note => note.key === 'reference')
}

type Target = { institute: Institute; id: string }

const keyOf = ({ institute, id }: Target): store.BatchKey => ({ instituteId: institute.id, id })

export async function getBatch({ db }: Context, target: Target): Promise<store.LinkBatch> {
  return required(await store.findBatch(db, keyOf(target)))
}

export async function listBatches(
  { db }: Context,
  institute: Institute,
  filter: Parameters<typeof store.listBatches>[2],
  limit: number,
): Promise<{ batches: store.LinkBatch[]; nextCursor: string | undefined }> {
  const found = await store.listBatches(db, institute.id, filter, limit + 1)
  const batches = found.slice(0, limit)
  return { batches, nextCursor: found.length > limit ? batches.at(-1)?.id : undefined }
}

const CURSOR = /^(\d{1,9})-(\d{1,15})$/

/** In the order of the file. */
export async function listProblems(
  ctx: Context,
  target: Target,
  page: { cursor: string | undefined; limit: number },
): Promise<{ problems: store.Problem[]; nextCursor: string | undefined }> {
  await getBatch(ctx, target)
  const place = CURSOR.exec(page.cursor ?? '0-0')
  if (place === null)
    throw badField('cursor', 'is not a cursor of this list; use next_cursor of the page before')
  const after = { rowNo: Number(place[1]), problemNo: Number(place[2]) }
  const found = await store.listProblems(ctx.db, keyOf(target), after, page.limit + 1)
  const problems = found.slice(0, page.limit)
  const last = problems.at(-1)
  const hasMore = found.length > page.limit && last !== undefined
  return { problems, nextCursor: hasMore ? `${last.rowNo}-${last.problemNo}` : undefined }
}

export async function listLinks(ctx: Context, target: Target): Promise<store.MadeLink[]> {
  await getBatch(ctx, target)
  return store.listLinks(ctx.db, keyOf(target))
}

/** From here on the worker makes the links of the good rows. */
export async function startBatch(
  ctx: Context,
  command: Command<store.LinkBatch>,
  target: Target,
  wanted: { channels: SendChannel[]; language: Language },
): Promise<store.LinkBatch> {
  return decide(ctx, command, target, batch => {
    if (batch.state !== 'checked') throw conflict(`This file is ${batch.state} already.`)
    if (newLinks(batch) <= 0)
      throw conflict('There is no link to make: every row is bad, or its link was made before.')
    return { ...wanted, state: 'running', startedAt: ctx.clock.now() }
  })
}

/** Before it was started all of it is called off; afterwards what is still to be made. */
export async function stopBatch(
  ctx: Context,
  command: Command<store.LinkBatch>,
  target: Target,
): Promise<store.LinkBatch> {
  return decide(ctx, command, target, ({ state }) => {
    const finishedAt = ctx.clock.now()
    if (state === 'checked') return { state: 'cancelled', finishedAt }
    if (state === 'running') return { state: 'stopped', finishedAt }
    throw conflict(`This file is ${state} already.`)
  })
}

async function decide(
  ctx: Context,
  command: Command<store.LinkBatch>,
  target: Target,
  change: (batch: store.LinkBatch) => steps.BatchChange,
): Promise<store.LinkBatch> {
  const key = keyOf(target)
  return transact(ctx.db, command, async tx => {
    await steps.updateBatch(tx, key, change(required(await store.lockBatch(tx, key))))
    return required(await store.findBatch(tx, key))
  })
}

function required(batch: store.LinkBatch | null): store.LinkBatch {
  if (batch === null) throw notFound('This file of links')
  return batch
}
