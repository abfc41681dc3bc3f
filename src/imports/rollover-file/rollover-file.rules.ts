import type { Paise } from '../../platform/money.ts'
import type { RowProblem } from '../kinds/merge.rules.ts'

export type StructureRow = {
  grade: string
  nextGrade: string | null
  componentType: string | null
  feePaise: Paise | null
}

export type GradeStructure = {
  grades: { grade: string; nextGrade: string | null }[]
  fees: { grade: string; fees: { componentType: string; feePaise: Paise }[] }[]
}

/** Put together from all rows; a row that says otherwise than an earlier one is left out and named. */
export function structureOf(
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
