import { listEntries } from '../institutes/catalogue.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import { badRequest } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { addAll } from '../platform/lists.ts'
import { ROW_FILES } from '../platform/limits.rules.ts'
import { ProcessFailure } from '../platform/process-pool/process-pool.ts'
import {
  type Cell,
  chooseHead,
  FileRefused,
  type FileRow,
  formatOf,
  type Head,
  HEAD_ROWS,
  possibleHeads,
} from './files/columns.rules.ts'
import { addDay, decideForm, newDayTally, type DayForm, type DayTally } from './files/days.rules.ts'
import { withReader } from './files/read-rows.ts'
import { unreadableWords } from './imports.rules.ts'
import { partsOf, type ImportFile } from './imports.service.ts'
import { findMatched } from './imports.store.ts'
import { LINK_TITLES } from './kinds/links/links.rules.ts'
import { guessColumns, type FileColumns } from './kinds/matched-columns.rules.ts'
import { ROSTER_TITLES } from './kinds/roster/roster.rules.ts'

/** A column of a school's own file, which a person matches before the file is checked. */
export type FoundColumn = {
  title: string
  samples: string[]
  guess: string | null
  /** A day of it that could be meant in two ways, where nothing in the column says which. */
  openDay: string | null
}

const FIELDS = { roster: ROSTER_TITLES, links: LINK_TITLES } as const

const MOST_SAMPLES = 3
const LONGEST_SAMPLE = 60

type FileKind = keyof typeof FIELDS

type ReadHead = Head & {
  guesses: (string | null)[]
  samples: FileRow[]
  days: { form: DayForm; asks: string | null }[]
}

/** What a file has as columns, and what each is: as it was matched last time, else as it probably is. Nothing is kept. */
export async function readColumns(
  ctx: Context,
  command: Command<FoundColumn[]>,
  institute: Institute,
  { file, kind }: { file: ImportFile; kind: FileKind },
): Promise<FoundColumn[]> {
  const { titles, guesses, samples, days } = await readHead(ctx, institute, file, kind)
  const columns = titles.map((title, index) => ({
    title,
    samples: samples.flatMap(({ cells }) => textOf(cells[index] ?? null) ?? []),
    guess: guesses[index] ?? null,
    openDay: days[index]?.asks ?? null,
  }))
  return transact(ctx.db, command, async () => columns)
}

/** The columns as the check reads them: `names` and what a person said of days that could be meant in two ways. */
export async function placeColumns(
  ctx: Context,
  institute: Institute,
  { file, kind }: { file: ImportFile; kind: FileKind },
  { names, days }: { names: (string | null)[]; days: readonly (DayForm['yearLast'] | null)[] },
): Promise<Omit<FileColumns, 'defaults'>> {
  const head = await readHead(ctx, institute, file, kind)
  const forms = head.days.map(({ form, asks }, index) => {
    const said = asks === null ? null : (days[index] ?? null)
    return said === null ? form : { ...form, yearLast: said }
  })
  return { names, titles: head.titles, headRow: head.lastRowNo, days: forms }
}

/** The whole file is read: one day in its last row may say how the days of all others are meant. */
async function readHead(
  ctx: Context,
  institute: Institute,
  file: ImportFile,
  kind: FileKind,
): Promise<ReadHead> {
  try {
    const format = formatOf(await file.read(0, 4))
    return await withReader({ share: institute.id, isUrgent: true }, async readRows => {
      const waiting: FileRow[] = []
      let head: (Head & { guesses: (string | null)[]; known: readonly DayForm[] }) | null = null
      const samples: FileRow[] = []
      const tallies: DayTally[] = []
      const take = (rows: readonly FileRow[], below: number): void => {
        for (const row of rows) {
          if (row.rowNo <= below) continue
          if (samples.length < MOST_SAMPLES) samples.push(row)
          addDays(tallies, row.cells)
        }
      }
      for await (const { rows } of readRows({ format, limits: ROW_FILES[kind] }, partsOf(file))) {
        if (head === null) addAll(waiting, rows)
        else take(rows, head.lastRowNo)
        if (head !== null || waiting.length < HEAD_ROWS) continue
        head = await recogniseHead(ctx, institute, kind, waiting)
        take(waiting, head.lastRowNo)
      }
      if (head === null) {
        head = await recogniseHead(ctx, institute, kind, waiting)
        take(waiting, head.lastRowNo)
      }
      const { known } = head
      const days = head.titles.map((_, index) => {
        const decided = decideForm(tallies[index] ?? newDayTally())
        const before = decided.asks === null ? undefined : known[index]
        return before === undefined ? decided : { form: before, asks: decided.asks }
      })
      return { ...head, samples, days }
    })
  } catch (error) {
    if (error instanceof ProcessFailure) throw badRequest(unreadableWords(error.reason))
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}

/** The row of headings of an earlier file, wherever it stands; else the one of which most columns are known. */
async function recogniseHead(
  ctx: Context,
  institute: Institute,
  kind: FileKind,
  rows: readonly FileRow[],
): Promise<Head & { guesses: (string | null)[]; known: readonly DayForm[] }> {
  if (rows.length === 0) throw new FileRefused('The file is empty.')
  const heads = possibleHeads(rows)
  const matched = await findMatched(ctx.db, institute.id, { kind, titles: heads.map(head => head.titles) })
  const same = heads.find(({ titles }) => JSON.stringify(titles) === JSON.stringify(matched?.titles))
  if (matched !== null && same !== undefined) return { ...same, guesses: matched.names, known: matched.days }
  const fees = await listEntries(ctx, institute, 'component')
  const guessesOf = ({ titles, lower }: Head): (string | null)[] =>
    guessColumns(titles, { fields: FIELDS[kind], fees, lower })
  const head = chooseHead(rows, one => guessesOf(one).filter(guess => guess !== null).length)
  if (head === null) throw new FileRefused('The first row must name the columns.')
  return { ...head, guesses: guessesOf(head), known: [] }
}

function addDays(tallies: DayTally[], cells: readonly Cell[]): void {
  for (const [index, cell] of cells.entries())
    if (typeof cell === 'string') addDay((tallies[index] ??= newDayTally()), cell)
}

function textOf(cell: Cell): string | null {
  if (cell === null || cell === '') return null
  const text = cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell)
  return Array.from(text).slice(0, LONGEST_SAMPLE).join('')
}
