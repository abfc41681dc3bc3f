import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import { badRequest, conflict } from '../platform/errors.ts'
import type { Command } from '../platform/idempotency.ts'
import { ROW_FILES } from '../platform/limits.rules.ts'
import { readStoredFile } from './engine/check.service.ts'
import { listProblems } from './engine/rows.store.ts'
import { titleOf, type Cell } from './files/columns.rules.ts'
import { withReader } from './files/read-rows.ts'
import { MAX_PROBLEMS_KEPT, ROSTERS } from './imports.rules.ts'
import { createImport, getImport, type Import, type ImportFile } from './imports.service.ts'
import { tidyName } from './kinds/links/links.rules.ts'
import { feeCodeOf, type FileColumns } from './kinds/matched-columns.rules.ts'
import { readTitles } from './match-columns.service.ts'

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
    columns: Omit<FileColumns, 'titles'>
  },
): Promise<Import> {
  const { columns, createdBy, file } = sent
  const named = columns.names.filter(name => name !== null)
  const missing = REQUIRED.filter(name => !named.includes(name))
  if (missing.length > 0) throw badRequest(`These columns are missing: ${missing.join(', ')}.`)
  if (new Set(named).size < named.length)
    throw conflict('Two columns of the file are matched to the same field.')
  const titles = await readTitles(institute.id, file, 'roster')
  const roster = { columns: { ...columns, titles }, createdBy, fileName: tidyName(sent.fileName) }
  return createImport(ctx, command, institute, { kind: 'roster', mode: 'good', isDryRun: true, file, roster })
}

export type BadRow = { rowNo: number; cells: readonly Cell[]; message: string }

/**
 * The rows of the file that were not applied, as they stand in it, below its header. They are put into words some at a
 * time, so that requests come between.
 */
export async function readBadRows(
  ctx: Context,
  institute: Institute,
  id: string,
  toText: (header: readonly Cell[], rows: readonly BadRow[]) => string,
): Promise<{ header: readonly Cell[]; texts: string[] }> {
  const one = await getImport(ctx, institute, id, ROSTERS)
  const key = { instituteId: institute.id, id }
  const problems = await listProblems(ctx.db, key, { rowNo: 0, problemNo: 0 }, MAX_PROBLEMS_KEPT)
  const messages = Map.groupBy(problems, problem => problem.rowNo)
  let header: readonly Cell[] = []
  const texts: string[] = []
  await withReader({ share: institute.id, isUrgent: true }, async readRows => {
    const wanted = { format: one.fileFormat, limits: ROW_FILES.roster }
    for await (const part of readRows(wanted, readStoredFile(ctx.db, key))) {
      const rows: BadRow[] = []
      for (const { rowNo, cells } of part.rows) {
        if (header.length === 0) header = cells
        const found = messages.get(rowNo)
        if (found === undefined) continue
        const message = found.map(problem =>
          `${titleIn(header, one, problem.column)} ${problem.message}`.trim(),
        )
        rows.push({ rowNo, cells, message: message.join('; ') })
      }
      texts.push(toText(header, rows))
    }
  })
  return { header, texts }
}

/** The title that the file gives the column. */
function titleIn(header: readonly Cell[], { columns }: Import, column: string): string {
  const at = columns?.names.indexOf(column) ?? -1
  const title = titleOf(header[at] ?? null)
  return title === '' ? (feeCodeOf(column) ?? column) : title
}
