import { listEntries } from '../institutes/catalogue.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import { badRequest, conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { ProcessFailure } from '../platform/process-pool/process-pool.ts'
import { readStoredFile } from './engine/check.service.ts'
import { listProblems } from './engine/rows.store.ts'
import { titleOf, type Cell } from './files/columns.rules.ts'
import { FileRefused, formatOf } from './files/file-rows.ts'
import { withReader } from './files/read-rows.ts'
import { MAX_PROBLEMS_KEPT, ROSTERS, unreadableWords } from './imports.rules.ts'
import { findMatched } from './imports.store.ts'
import { createImport, getImport, type Import, type ImportFile } from './imports.service.ts'
import { tidyName } from './kinds/links/links.rules.ts'
import { feeCodeOf, guessColumns, type RosterColumns } from './kinds/roster/roster.rules.ts'
import { partsOf } from './link-files.service.ts'

/** A school's own list of students as the console handles it: its columns are matched, it is checked, then started. */
export type FoundColumn = { title: string; samples: string[]; guess: string | null }

const MOST_SAMPLES = 3
const MOST_COLUMNS = 60
const LONGEST_SAMPLE = 60

/** What a file has as columns, and what each is: as it was matched last time, else as it probably is. Nothing is kept. */
export async function readColumns(
  ctx: Context,
  command: Command<FoundColumn[]>,
  institute: Institute,
  file: ImportFile,
): Promise<FoundColumn[]> {
  const [header, ...samples] = await readHead(file)
  if (header === undefined) throw badRequest('The file is empty.')
  const titles = header.map(titleOf).slice(0, MOST_COLUMNS)
  if (titles.every(title => title === '')) throw badRequest('The first row must name the columns.')
  const guesses =
    (await findMatched(ctx.db, institute.id, titles)) ??
    guessColumns(titles, await listEntries(ctx, institute, 'component'))
  const columns = titles.map((title, index) => ({
    title,
    samples: samples.flatMap(cells => textOf(cells[index] ?? null) ?? []),
    guess: guesses[index] ?? null,
  }))
  return transact(ctx.db, command, async () => columns)
}

async function readHead(file: ImportFile): Promise<(readonly Cell[])[]> {
  try {
    const format = formatOf(await file.read(0, 4))
    return await withReader(async readRows => {
      for await (const { rows } of readRows(format, partsOf(file)))
        if (rows.length > 0) return rows.slice(0, 1 + MOST_SAMPLES).map(row => row.cells)
      return []
    })
  } catch (error) {
    if (error instanceof ProcessFailure) throw badRequest(unreadableWords(error.reason))
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}

function textOf(cell: Cell): string | null {
  if (cell === null || cell === '') return null
  const text = cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell)
  return Array.from(text).slice(0, LONGEST_SAMPLE).join('')
}

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
    columns: Omit<RosterColumns, 'titles'>
  },
): Promise<Import> {
  const { columns, createdBy, file } = sent
  const named = columns.names.filter(name => name !== null)
  const missing = REQUIRED.filter(name => !named.includes(name))
  if (missing.length > 0) throw badRequest(`These columns are missing: ${missing.join(', ')}.`)
  if (new Set(named).size < named.length)
    throw conflict('Two columns of the file are matched to the same field.')
  const [header = []] = await readHead(file)
  const titles = header.map(titleOf).slice(0, MOST_COLUMNS)
  const roster = { columns: { ...columns, titles }, createdBy, fileName: tidyName(sent.fileName) }
  return createImport(ctx, command, institute, { kind: 'roster', mode: 'good', isDryRun: true, file, roster })
}

export type BadRow = { rowNo: number; cells: readonly Cell[]; message: string }

/** The rows of the file that were not applied, as they stand in it, below its header. */
export async function readBadRows(
  ctx: Context,
  institute: Institute,
  id: string,
): Promise<{ header: readonly Cell[]; rows: BadRow[] }> {
  const one = await getImport(ctx, institute, id, ROSTERS)
  const key = { instituteId: institute.id, id }
  const problems = await listProblems(ctx.db, key, { rowNo: 0, problemNo: 0 }, MAX_PROBLEMS_KEPT)
  const messages = Map.groupBy(problems, problem => problem.rowNo)
  let header: readonly Cell[] = []
  const rows: BadRow[] = []
  await withReader(async readRows => {
    for await (const part of readRows(one.fileFormat, readStoredFile(ctx.db, key))) {
      for (const { rowNo, cells } of part.rows) {
        if (header.length === 0) header = cells
        const found = messages.get(rowNo)
        if (found === undefined) continue
        const message = found.map(problem =>
          `${titleIn(header, one, problem.column)} ${problem.message}`.trim(),
        )
        rows.push({ rowNo, cells, message: message.join('; ') })
      }
    }
  })
  return { header, rows }
}

/** As the file heads the column. */
function titleIn(header: readonly Cell[], { columns }: Import, column: string): string {
  const at = columns?.names.indexOf(column) ?? -1
  const title = titleOf(header[at] ?? null)
  return title === '' ? (feeCodeOf(column) ?? column) : title
}
