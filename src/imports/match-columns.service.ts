import { listEntries } from '../institutes/catalogue.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { runInSteps } from '../platform/concurrency.ts'
import type { Context } from '../platform/context.ts'
import { badField, badRequest } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { addAll } from '../platform/lists.ts'
import { ROW_FILES } from '../platform/limits.rules.ts'
import { ProcessFailure } from '../platform/process-pool/process-pool.ts'
import {
  type Cell,
  cellText,
  chooseHead,
  FileRefused,
  type FileRow,
  formatOf,
  type Head,
  HEAD_ROWS,
  padDay,
  possibleHeads,
} from './files/columns.rules.ts'
import {
  addDate,
  addDay,
  answerForm,
  decideForm,
  isSerial,
  newDayTally,
  readDayText,
  type DayForm,
  type DayTally,
  type OpenDay,
} from './files/days.rules.ts'
import { withReader } from './files/read-rows.ts'
import { unreadableWords } from './imports.rules.ts'
import { partsOf, type ImportFile } from './imports.service.ts'
import { findMatched } from './imports.store.ts'
import { LINK_TITLES } from './kinds/links/links.rules.ts'
import { importKinds } from './kinds/kinds.ts'
import {
  addAmount,
  ColumnGuesser,
  withoutEmptyFees,
  type AmountTally,
  type FileColumns,
} from './kinds/matched-columns.rules.ts'
import { readClasses } from './kinds/roster/roster.service.ts'
import { LINE_TITLE, RosterLines } from './kinds/roster/classes.rules.ts'
import { ROSTER_TITLES } from './kinds/roster/roster.rules.ts'

/** A column of a school's own file, which a person matches before the file is checked. */
export type FoundColumn = {
  title: string
  samples: string[]
  guess: string | null
  /** A day of it that could be meant in two ways, where nothing in the column says which. */
  openDay: OpenDay | null
  /** What was said of such days in a file with the same headings. */
  saidBefore: DayForm['yearLast'] | null
}

const FIELDS = { roster: ROSTER_TITLES, links: LINK_TITLES } as const

const MOST_SAMPLES = 3
const LONGEST_SAMPLE = 60

type FileKind = keyof typeof FIELDS

/** `otherSheets` of a spreadsheet have rows too and are not read. */
export type FoundColumns = { columns: FoundColumn[]; otherSheets: string[] }

type ReadHead = Head & {
  guesses: (string | null)[]
  samples: FileRow[]
  days: { form: DayForm; asks: OpenDay | null; before: DayForm | null }[]
  otherSheets: string[]
}

/** What a file has as columns, and what each is: as it was matched last time, else as it probably is. Nothing is kept. */
export async function readColumns(
  ctx: Context,
  command: Command<FoundColumns>,
  institute: Institute,
  { file, kind }: { file: ImportFile; kind: FileKind },
): Promise<FoundColumns> {
  const { titles, guesses, samples, days, otherSheets } = await readHead(ctx, institute, file, kind)
  const columns = titles.map((title, index) => ({
    title,
    samples: samples.flatMap(({ cells }) => textOf(cells[index] ?? null) ?? []),
    guess: guesses[index] ?? null,
    openDay: days[index]?.asks ?? null,
    saidBefore: saidOf(days[index]),
  }))
  return transact(ctx.db, command, async () => ({ columns, otherSheets }))
}

/** The columns as the check reads them: `names` and what a person said of days that could be meant in two ways. */
export async function placeColumns(
  ctx: Context,
  institute: Institute,
  { file, kind }: { file: ImportFile; kind: FileKind },
  { names, days }: { names: (string | null)[]; days: readonly (DayForm['yearLast'] | null)[] },
): Promise<Omit<FileColumns, 'defaults'>> {
  const head = await readHead(ctx, institute, file, kind)
  const forms = head.days.map((decided, index) => {
    const { form, asks } = decided
    const said = days[index] ?? saidOf(decided)
    if (asks === null) return form
    if (said !== null) return answerForm(form, asks, said)
    if (isOfDays(kind, names[index] ?? null))
      throw badField('days', `must say what ${asks.day} in the column ${head.titles[index]} means`)
    return form
  })
  return { names, titles: head.titles, headRow: head.lastRowNo, days: forms }
}

function isOfDays(kind: FileKind, name: string | null): boolean {
  const column = importKinds[kind].rows.columns.find(one => one.name === name)
  return column?.kind === 'day' || column?.kind === 'moment'
}

/** What a person has said of the column's days, in the terms of the question: whether the day stands before the month. */
function saidOf(decided: ReadHead['days'][number] | undefined): DayForm['yearLast'] | null {
  const { asks, before } = decided ?? { asks: null, before: null }
  if (asks === null || before === null) return null
  const { yearLast, yearFirst, isExchanged = false } = before
  if (asks.why === 'spreadsheet') return isExchanged ? 'mdy' : 'dmy'
  if (/^\d{4}/.test(asks.day)) return yearFirst === 'ymd' ? 'mdy' : 'dmy'
  return yearLast
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
    const classes = kind === 'roster' ? await readClasses(ctx.db, institute.id) : null
    return await withReader({ share: institute.id, isUrgent: true }, async readRows => {
      const waiting: FileRow[] = []
      let head: RecognisedHead | null = null
      let lines: RosterLines | null = null
      let hasClassLines = false
      const samples: FileRow[] = []
      let otherSheets: string[] = []
      const tallies: DayTally[] = []
      const amounts: AmountTally[] = []
      const take = (rows: readonly FileRow[], { lastRowNo, titles, guesses }: RecognisedHead): void => {
        if (classes !== null)
          lines ??= new RosterLines({ titles: [...titles, LINE_TITLE], names: guesses }, classes)
        for (const { rowNo, cells } of rows) {
          if (rowNo <= lastRowNo) continue
          const line = lines?.take(cells) ?? { kind: 'child', cells }
          if (line.kind === 'class') hasClassLines = true
          if (line.kind !== 'child') continue
          if (samples.length < MOST_SAMPLES) samples.push({ rowNo, cells: line.cells })
          addDays(tallies, line.cells)
          for (const [index, cell] of line.cells.entries())
            addAmount((amounts[index] ??= { filled: 0, amounts: 0 }), textOf(cell))
        }
      }
      for await (const { rows, otherSheets: more } of readRows(
        { format, limits: ROW_FILES[kind] },
        partsOf(file),
      )) {
        otherSheets = more ?? []
        if (head === null) addAll(waiting, rows)
        else take(rows, head)
        if (head !== null || waiting.length < HEAD_ROWS) continue
        head = await recogniseHead(ctx, institute, kind, waiting)
        take(waiting, head)
      }
      if (head === null) {
        head = await recogniseHead(ctx, institute, kind, waiting)
        take(waiting, head)
      }
      const { known } = head
      const whole = hasClassLines ? withClassLines(head) : head
      const days = whole.titles.map((_, index) => ({
        ...decideForm(tallies[index] ?? newDayTally()),
        before: known[index] ?? null,
      }))
      // What a person said of such a file before stands.
      const guesses = known.length > 0 ? whole.guesses : withoutEmptyFees(whole.guesses, amounts)
      return { ...whole, guesses, samples, days, otherSheets }
    })
  } catch (error) {
    if (error instanceof ProcessFailure) throw badRequest(unreadableWords(error.reason))
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}

type RecognisedHead = Head & {
  guesses: (string | null)[]
  known: readonly DayForm[]
  /** What an earlier file said that the lines between its rows are. */
  lineGuess?: string | null
}

/** The classes that stand in lines between the children are a column more. */
function withClassLines(head: RecognisedHead): RecognisedHead {
  const { titles, guesses, lineGuess = guesses.includes('grade') ? null : 'grade' } = head
  return { ...head, titles: [...titles, LINE_TITLE], guesses: [...guesses, lineGuess] }
}

/** The row of headings of an earlier file, wherever it stands; else the one of which most columns are known. */
async function recogniseHead(
  ctx: Context,
  institute: Institute,
  kind: FileKind,
  rows: readonly FileRow[],
): Promise<RecognisedHead> {
  if (rows.length === 0) throw new FileRefused('The file is empty.')
  const heads = [...possibleHeads(rows)]
  const wanted = heads.flatMap(({ titles }) => [titles, [...titles, LINE_TITLE]])
  const matched = await findMatched(ctx.db, institute.id, { kind, titles: wanted })
  const isSame = (titles: readonly string[]): boolean =>
    JSON.stringify(titles) === JSON.stringify(matched?.titles)
  const same = heads.find(({ titles }) => isSame(titles) || isSame([...titles, LINE_TITLE]))
  if (matched !== null && same !== undefined) {
    const guesses = same.titles.map((_, index) => matched.names[index] ?? null)
    const { length } = same.titles
    const line = isSame(same.titles) ? {} : { lineGuess: matched.names[length] ?? null }
    return { ...same, guesses, known: matched.days, ...line }
  }
  const fees = await listEntries(ctx, institute, 'component')
  const guesser = new ColumnGuesser({ fields: FIELDS[kind], fees })
  const guessesOf = ({ titles, lower }: Head): (string | null)[] => guesser.guess(titles, lower)
  const head = await runInSteps(
    chooseHead(rows, one => guessesOf(one).filter(guess => guess !== null).length),
  )
  if (head === null) throw new FileRefused('The first row must name the columns.')
  return { ...head, guesses: guessesOf(head), known: [] }
}

function addDays(tallies: DayTally[], cells: readonly Cell[]): void {
  for (const [index, cell] of cells.entries())
    if (cell !== null && typeof cell !== 'boolean') addCell((tallies[index] ??= newDayTally()), cell)
}

function addCell(tally: DayTally, cell: string | number | Date): void {
  if (typeof cell === 'string') addDay(tally, cell)
  else if (cell instanceof Date) addDate(tally, textOf(cell) ?? '')
  else if (isSerial(cell)) addDate(tally, readDayText(String(Math.floor(cell)).padStart(5, '0')) ?? '')
  else addDay(tally, padDay(cell))
}

function textOf(cell: Cell): string | null {
  if (cell === null || cell === '') return null
  const text = cellText(cell)
  return Array.from(text).slice(0, LONGEST_SAMPLE).join('')
}
