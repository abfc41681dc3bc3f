import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import { badField, badRequest, conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { ROW_FILES } from '../platform/limits.rules.ts'
import { readStoredFile } from './engine/check.service.ts'
import * as rowStore from './engine/rows.store.ts'
import { type Cell, cellText } from './files/columns.rules.ts'
import { type DayForm, exchangeDay } from './files/days.rules.ts'
import { withReader } from './files/read-rows.ts'
import { MAX_PROBLEMS_KEPT, ROSTERS } from './imports.rules.ts'
import {
  changeImport,
  createImport,
  getImport,
  requireImport,
  type Import,
  type ImportFile,
} from './imports.service.ts'
import * as store from './imports.store.ts'
import { tidyName } from './kinds/links/links.rules.ts'
import { feeCodeOf, type FileColumns } from './kinds/matched-columns.rules.ts'
import { rosterImport } from './kinds/roster/roster.service.ts'
import { placeColumns } from './match-columns.service.ts'

/** A school's own list of students as the console handles it: its columns are matched, it is checked, then started. */
const REQUIRED = ['identifier', 'fullname', 'grade', 'primary_contact_number']

/** A worker checks it; somebody looks at the result and starts it. */
export async function createRoster(
  ctx: Context,
  command: Command<Import>,
  institute: Institute,
  sent: {
    file: ImportFile
    fileName: string | undefined
    createdBy: string
    columns: Pick<FileColumns, 'names' | 'defaults'>
    /** Which way is meant, for each column whose days could be read in two ways. */
    days: readonly (DayForm['yearLast'] | null)[]
  },
): Promise<Import> {
  const { columns, createdBy, file } = sent
  const named = columns.names.filter(name => name !== null)
  const missing = REQUIRED.filter(name => !named.includes(name))
  if (missing.length > 0) throw badRequest(`These columns are missing: ${missing.join(', ')}.`)
  if (new Set(named).size < named.length)
    throw conflict('Two columns of the file are matched to the same field.')
  const placed = await placeColumns(
    ctx,
    institute,
    { file, kind: 'roster' },
    { names: columns.names, days: sent.days },
  )
  const roster = { columns: { ...columns, ...placed }, createdBy, fileName: tidyName(sent.fileName) }
  return createImport(ctx, command, institute, { kind: 'roster', mode: 'good', isDryRun: true, file, roster })
}

/** The rows that these people look at are checked again with what they wrote; the file itself stays as it came. */
export async function correctRoster(
  ctx: Context,
  command: Command<Import>,
  { institute, id }: { institute: Institute; id: string },
  corrections: readonly rowStore.Correction[],
): Promise<Import> {
  const key = { instituteId: institute.id, id }
  return transact(ctx.db, command, async tx => {
    requireImport(await store.findImport(tx, key), ROSTERS)
    const one = requireImport(await store.lockImport(tx, key, { waits: true }), ROSTERS)
    if (one.state !== 'checked')
      throw conflict('Rows are corrected between the check of a list and its start.')
    for (const [index, correction] of corrections.entries()) {
      if (one.columns?.names.includes(correction.column) !== true)
        throw badField(`corrections.${index}.column`, 'is no column of this list')
      if ((await rowStore.insertCorrection(tx, key, correction)) === 0)
        throw badField(`corrections.${index}`, 'fits no row that has to be corrected')
    }
    await rowStore.forgetCheck(tx, key)
    await store.setProgress(tx, key, 0)
    return changeImport(tx, key, { state: 'checking' })
  })
}

/** What is wrong with a list, told together where rows have the same problem. */
export async function groupProblems(
  ctx: Context,
  institute: Institute,
  id: string,
): Promise<rowStore.ProblemGroup[]> {
  await getImport(ctx, institute, id, ROSTERS)
  return rowStore.groupProblems(ctx.db, { instituteId: institute.id, id })
}

export type { ProblemGroup } from './engine/rows.store.ts'

export type BadRow = { rowNo: number; cells: readonly Cell[]; message: string }

/**
 * The rows of the file that were not applied, as they stand in it, below its header. They are put into words some at a
 * time, so that requests come between.
 */
export async function readBadRows(
  ctx: Context,
  institute: Institute,
  id: string,
  toText: (titles: readonly string[], rows: readonly BadRow[]) => string,
): Promise<{ titles: readonly string[]; texts: string[] }> {
  const one = await getImport(ctx, institute, id, ROSTERS)
  const key = { instituteId: institute.id, id }
  const problems = await rowStore.listProblems(
    ctx.db,
    key,
    { rowNo: 0, problemNo: 0 },
    { limit: MAX_PROBLEMS_KEPT },
  )
  const messages = Map.groupBy(problems, problem => problem.rowNo)
  const titles = one.columns?.titles ?? []
  const texts: string[] = []
  await withReader({ share: institute.id, isUrgent: true }, async readRows => {
    const wanted = { format: one.fileFormat, limits: ROW_FILES.roster }
    const { columns } = one
    const sense = columns === null ? null : await rosterImport.senseOf?.(ctx.db, institute, columns)
    for await (const part of readRows(wanted, readStoredFile(ctx.db, key))) {
      const rows: BadRow[] = []
      for (const { rowNo, cells: written } of part.rows) {
        const cells = rowNo <= (columns?.headRow ?? 1) ? written : (sense?.rowOf(written).cells ?? written)
        const found = messages.get(rowNo)
        if (found === undefined) continue
        const message = found.map(problem => `${titleIn(one, problem.column)} ${problem.message}`.trim())
        rows.push({ rowNo, cells: inTheirOrder(cells, columns?.days ?? []), message: message.join('; ') })
      }
      texts.push(toText(titles, rows))
    }
  })
  return { titles, texts }
}

/** A file of texts has its days as they are meant: nobody can exchange them again. */
function inTheirOrder(cells: readonly Cell[], days: readonly DayForm[]): readonly Cell[] {
  return cells.map((cell, index) =>
    cell instanceof Date && days[index]?.isExchanged === true ? exchangeDay(cellText(cell)) : cell,
  )
}

/** The title that the file gives the column. */
function titleIn({ columns }: Import, column: string): string {
  const title = columns?.titles[columns.names.indexOf(column)] ?? ''
  return title === '' ? (feeCodeOf(column) ?? column) : title
}
