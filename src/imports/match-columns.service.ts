import { listEntries } from '../institutes/catalogue.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import { badRequest } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { ROW_FILES } from '../platform/limits.rules.ts'
import { ProcessFailure } from '../platform/process-pool/process-pool.ts'
import { titleOf, type Cell } from './files/columns.rules.ts'
import { FileRefused, formatOf } from './files/file-rows.ts'
import { withReader } from './files/read-rows.ts'
import { unreadableWords } from './imports.rules.ts'
import { partsOf, type ImportFile } from './imports.service.ts'
import { findMatched } from './imports.store.ts'
import { LINK_TITLES } from './kinds/links/links.rules.ts'
import { guessColumns } from './kinds/matched-columns.rules.ts'
import { ROSTER_TITLES } from './kinds/roster/roster.rules.ts'

/** A column of a school's own file, which a person matches before the file is checked. */
export type FoundColumn = { title: string; samples: string[]; guess: string | null }

const FIELDS = { roster: ROSTER_TITLES, links: LINK_TITLES } as const

const MOST_SAMPLES = 3
const MOST_COLUMNS = 60
const LONGEST_SAMPLE = 60

/** What a file has as columns, and what each is: as it was matched last time, else as it probably is. Nothing is kept. */
export async function readColumns(
  ctx: Context,
  command: Command<FoundColumn[]>,
  institute: Institute,
  { file, kind }: { file: ImportFile; kind: keyof typeof FIELDS },
): Promise<FoundColumn[]> {
  const [header, ...samples] = await readHead(institute.id, file, kind)
  if (header === undefined) throw badRequest('The file is empty.')
  const titles = header.map(titleOf).slice(0, MOST_COLUMNS)
  if (titles.every(title => title === '')) throw badRequest('The first row must name the columns.')
  const guesses =
    (await findMatched(ctx.db, institute.id, { kind, titles })) ??
    guessColumns(titles, { fields: FIELDS[kind], fees: await listEntries(ctx, institute, 'component') })
  const columns = titles.map((title, index) => ({
    title,
    samples: samples.flatMap(cells => textOf(cells[index] ?? null) ?? []),
    guess: guesses[index] ?? null,
  }))
  return transact(ctx.db, command, async () => columns)
}

/** How the file heads its columns. */
export async function readTitles(
  instituteId: number,
  file: ImportFile,
  kind: keyof typeof FIELDS,
): Promise<string[]> {
  const [header = []] = await readHead(instituteId, file, kind)
  return header.map(titleOf).slice(0, MOST_COLUMNS)
}

async function readHead(
  instituteId: number,
  file: ImportFile,
  kind: keyof typeof FIELDS,
): Promise<(readonly Cell[])[]> {
  try {
    const format = formatOf(await file.read(0, 4))
    return await withReader({ share: instituteId, isUrgent: true }, async readRows => {
      for await (const { rows } of readRows({ format, limits: ROW_FILES[kind] }, partsOf(file)))
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
