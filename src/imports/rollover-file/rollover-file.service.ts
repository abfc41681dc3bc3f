import {
  FileRefused,
  type FileRow,
  formatOf,
  type Header,
  matchHeader,
  takeRow,
} from '../files/columns.rules.ts'
import { type ReadRows, withReader } from '../files/read-rows.ts'
import { unreadableWords } from '../imports.rules.ts'
import { type ImportFile, partsOf } from '../imports.service.ts'
import type { RowProblem } from '../kinds/merge.rules.ts'
import { structureRows, type StructureRow } from './rollover-file.schemas.ts'
import type { Context } from '../../platform/context.ts'
import { badRequest } from '../../platform/errors.ts'
import { type Command, transact } from '../../platform/idempotency.ts'
import { ROW_FILES } from '../../platform/limits.rules.ts'
import { addAll } from '../../platform/lists.ts'
import type { Paise } from '../../platform/money.ts'
import { ProcessFailure } from '../../platform/process-pool/process-pool.ts'

export type ReadStructure = GradeStructure & { problems: RowProblem[]; unknownColumns: string[] }

const MOST_PROBLEMS = 200

/**
 * Grades and fees of a rollover from a file, for the form that starts it. Not a kind of import: an import writes row by
 * row, while these rows are one setting that is previewed and started as a whole, and nothing is written before that.
 */
export async function readStructureFile(
  ctx: Context,
  command: Command<ReadStructure>,
  file: ImportFile,
): Promise<ReadStructure> {
  try {
    const read = await withReader({ share: command.instituteId, isUrgent: true }, readRows =>
      readStructure(file, readRows),
    )
    return await transact(ctx.db, command, async () => read)
  } catch (error) {
    if (error instanceof ProcessFailure) throw badRequest(unreadableWords(error.reason))
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}

async function readStructure(file: ImportFile, readRows: ReadRows): Promise<ReadStructure> {
  const format = formatOf(await file.read(0, 4))
  let header: Header | null = null
  const good: { rowNo: number; row: StructureRow }[] = []
  const bad: RowProblem[] = []
  for await (const { rows } of readRows({ format, limits: ROW_FILES.structure }, partsOf(file))) {
    for (const row of rows) {
      if (header === null) header = headerOf(row)
      else takeInto(header, row, { good, bad })
    }
  }
  if (header === null) throw new FileRefused('The file is empty.')
  if (good.length + bad.length === 0) throw new FileRefused('The file has no rows below its header.')
  const { problems, ...structure } = structureOf(good)
  const all = [...bad, ...problems].toSorted((one, other) => one.rowNo - other.rowNo)
  return { ...structure, problems: all.slice(0, MOST_PROBLEMS), unknownColumns: header.unknown }
}

function headerOf({ cells }: FileRow): Header {
  const decision = matchHeader(structureRows.columns, 'A file of grades and fees', cells)
  if (decision.kind === 'refused') throw new FileRefused(decision.message)
  return decision.header
}

function takeInto(
  header: Header,
  { rowNo, cells }: FileRow,
  { good, bad }: { good: { rowNo: number; row: StructureRow }[]; bad: RowProblem[] },
): void {
  const taken = takeRow(header, cells)
  if (taken === null) return
  const read = structureRows.read(taken.row)
  const problems = [...taken.problems, ...(read.kind === 'bad' ? read.problems : [])]
  if (read.kind === 'good' && problems.length === 0) good.push({ rowNo, row: read.row })
  else
    addAll(
      bad,
      problems.map(problem => ({ rowNo, ...problem })),
    )
}

export type GradeStructure = {
  grades: { grade: string; nextGrade: string | null }[]
  fees: { grade: string; fees: { componentType: string; feePaise: Paise }[] }[]
}

/** Put together from all rows; a row that says otherwise than an earlier one is left out and named. */
function structureOf(
  rows: readonly { rowNo: number; row: StructureRow }[],
): GradeStructure & { problems: RowProblem[] } {
  const grades = new Map<string, string | null>()
  const fees = new Map<string, Map<string, Paise>>()
  const problems: RowProblem[] = []
  for (const { rowNo, row } of rows) {
    const { grade, nextGrade, componentType, feePaise } = row
    const before = grades.get(grade)
    if (before !== undefined && before !== nextGrade) {
      const goes = before === null ? 'leaves the school' : `goes to ${before}`
      problems.push({
        rowNo,
        column: 'next_grade',
        message: `differs: in an earlier row grade ${grade} ${goes}`,
      })
      continue
    }
    grades.set(grade, nextGrade)
    if (nextGrade === null || componentType === null || feePaise === null) continue
    const known = fees.get(nextGrade) ?? new Map<string, Paise>()
    fees.set(nextGrade, known)
    const price = known.get(componentType)
    if (price === undefined || price === feePaise) known.set(componentType, feePaise)
    else
      problems.push({
        rowNo,
        column: 'fee_amount',
        message: `differs from an earlier row of grade ${nextGrade}`,
      })
  }
  return {
    grades: [...grades].map(([grade, nextGrade]) => ({ grade, nextGrade })),
    fees: [...fees].map(([grade, prices]) => ({
      grade,
      fees: [...prices].map(([componentType, feePaise]) => ({ componentType, feePaise })),
    })),
    problems,
  }
}
