import { hash } from 'node:crypto'
import { FileRefused, type FileRows, formatOf } from '../../imports/files/columns.rules.ts'
import { isMt940 } from '../../imports/files/mt940.ts'
import { withReader } from '../../imports/files/read-rows.ts'
import { unreadableWords } from '../../imports/imports.rules.ts'
import { partsOf, type ImportFile } from '../../imports/imports.service.ts'
import { badRequest } from '../../platform/errors.ts'
import { ROW_FILES } from '../../platform/limits.rules.ts'
import { ProcessFailure } from '../../platform/process-pool/process-pool.ts'
import { headOf, HEAD_ROWS, type Columns, type Row } from './columns.rules.ts'
import {
  bookedLine,
  LineKeys,
  lineOf,
  type KeyedLine,
  type LineProblem,
  type StatementFormat,
  type StatementLine,
} from './lines.rules.ts'

const HEAD_BYTES = 4_096
const MOST_PROBLEMS = 20

export type ReadStatement = {
  format: StatementFormat
  /** Null where they were not recognised, and of a file that has its own tags in place of columns. */
  columns: Columns | null
  /** The row that is taken for the header. */
  header: Row | null
  lines: KeyedLine[]
  problems: LineProblem[]
}

type ChooseColumns = (head: readonly Row[]) => Promise<Columns | null>

/**
 * A file is read in a process of its own; its rows become lines as they come, and no more of them is held. What is done
 * with them is done before the process serves the next file, so that no more statements are in memory than are read at a time.
 */
export async function withStatement<Result>(
  instituteId: number,
  file: ImportFile,
  choose: ChooseColumns,
  act: (statement: ReadStatement) => Promise<Result>,
): Promise<Result> {
  const head = await file.read(0, HEAD_BYTES)
  const isTagged = formatOf(head) === 'csv' && isMt940(head.toString('latin1'))
  const format = isTagged ? 'mt940' : formatOf(head)
  try {
    return await withReader({ share: instituteId, isUrgent: true }, async readRows => {
      const batches = readRows({ format, limits: ROW_FILES.statement }, partsOf(file))
      const found = format === 'mt940' ? await readBooked(batches) : await readTable(batches, choose)
      if (isBlank(found))
        throw new FileRefused(
          'The file has no lines of a bank statement. Export it again, as CSV, XLSX or MT940.',
        )
      return act({ format, ...found })
    })
  } catch (error) {
    if (error instanceof ProcessFailure) throw badRequest(unreadableWords(error.reason))
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}

type StatementContent = Omit<ReadStatement, 'format'>

function isBlank({ header, lines, problems }: StatementContent): boolean {
  const hasTitles =
    header?.cells.some(
      cell =>
        String(cell ?? '')
          .replaceAll('\0', '')
          .trim() !== '',
    ) ?? false
  return !hasTitles && lines.length === 0 && problems.length === 0
}

async function readBooked(batches: AsyncIterable<FileRows>): Promise<StatementContent> {
  const taken = new TakenLines()
  for await (const { rows } of batches) for (const row of rows) taken.add(row.rowNo, bookedLine(row))
  return { columns: null, header: null, lines: taken.lines, problems: taken.problems }
}

async function readTable(batches: AsyncIterable<FileRows>, choose: ChooseColumns): Promise<StatementContent> {
  const taken = new TakenLines()
  let waiting: Row[] | null = []
  let [columns, header]: [Columns | null, Row | null] = [null, null]
  const take = (rows: readonly Row[]): void => {
    if (columns === null) return
    for (const row of rows) {
      if (row.rowNo === columns.headerRow) header = row
      taken.add(row.rowNo, lineOf(row, columns))
    }
  }
  const begin = async (head: readonly Row[]): Promise<void> => {
    columns = await choose(head)
    header = headOf(head)
    take(head)
  }
  for await (const { rows } of batches) {
    if (waiting === null) {
      take(rows)
      continue
    }
    for (const row of rows) waiting.push(row)
    if (waiting.length < HEAD_ROWS) continue
    await begin(waiting)
    waiting = null
  }
  if (waiting !== null) await begin(waiting)
  return { columns, header, lines: taken.lines, problems: taken.problems }
}

/** The lines with what they are recognised by, and the first of what is wrong. */
class TakenLines {
  readonly lines: KeyedLine[] = []
  readonly problems: LineProblem[] = []
  readonly #keys = new LineKeys(digestOf)

  add(rowNo: number, line: StatementLine | string | null): void {
    if (line === null) return
    if (typeof line !== 'string') this.lines.push(this.#keys.of(line))
    else if (this.problems.length < MOST_PROBLEMS) this.problems.push({ rowNo, message: line })
  }
}

function digestOf(text: string): string {
  return hash('sha256', text)
}
