import type {
  GradeOfYearAnswer,
  StructureAnswer,
} from '../../../../../src/console/students/rollover/rollover.schemas.ts'
import { readable } from '../../../ui/words.ts'
import { plainAmount } from '../../../ui/form/amount.ts'

/** Where grades go and what the new ones cost, as the form has it; amounts are what somebody types. */
export type Structure = {
  grades: readonly GradeRow[]
  /** The columns of the table of fees. */
  components: readonly string[]
  /** Amounts by grade of the new year and component; blank: the grade does not have it. */
  amounts: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export type GradeRow = { grade: string; students: number; next: string; leaves: boolean }

/** What a year's grades suggest: the grade that follows, and what that grade costs this year. */
export function suggestStructure(grades: readonly GradeOfYearAnswer[]): Structure {
  return {
    grades: grades.map(({ grade, students, next_grade: next = '', leaves }) => ({
      grade,
      students,
      next,
      leaves,
    })),
    components: componentsOf(grades),
    amounts: amountsOf(grades),
  }
}

/** A file says more than the suggestion did; a grade that it does not name stays as it was. */
export function withFile(before: Structure, file: StructureAnswer): Structure {
  const named = new Map(file.grades.map(one => [one.grade, one.next_grade]))
  const unknown = file.grades.filter(({ grade }) => before.grades.every(row => row.grade !== grade))
  return {
    grades: [
      ...before.grades.map(row =>
        named.has(row.grade)
          ? { ...row, next: named.get(row.grade) ?? '', leaves: named.get(row.grade) === undefined }
          : row,
      ),
      ...unknown.map(({ grade, next_grade: next }) => ({
        grade,
        students: 0,
        next: next ?? '',
        leaves: next === undefined,
      })),
    ],
    components: [...new Set([...componentsOf(file.fees), ...before.components])],
    amounts: { ...before.amounts, ...amountsOf(file.fees) },
  }
}

type Priced = { grade: string; fee_components: readonly { component_type: string; fee_amount: number }[] }

function componentsOf(grades: readonly Priced[]): string[] {
  return [...new Set(grades.flatMap(one => one.fee_components.map(fee => fee.component_type)))]
}

function amountsOf(grades: readonly Priced[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    grades.map(({ grade, fee_components: fees }) => [
      grade,
      Object.fromEntries(fees.map(fee => [fee.component_type, String(fee.fee_amount)])),
    ]),
  )
}

/** The grades of the new year, in the order of those that lead to them. */
export function nextGrades({ grades }: Structure): string[] {
  return [...new Set(grades.filter(row => !row.leaves).map(row => row.next.trim()))].filter(
    grade => grade !== '',
  )
}

/** "Tuition fee" as typed is TUITION_FEE, if there is one: two fees that read the same could not be told apart. */
export function knownFee(typed: string, codes: readonly string[]): string {
  const wanted = readable(typed).toLowerCase()
  return (
    codes.find(code => code === typed) ?? codes.find(code => readable(code).toLowerCase() === wanted) ?? typed
  )
}

type GradeCount = { next_grade?: string | undefined; registered: number }

/** Grades of the new year that students would be registered in without any fee, and how many of them. */
export function gradesWithoutFees(
  fees: ReturnType<typeof toRequest>['fees'],
  grades: readonly GradeCount[],
): { grade: string; students: number }[] {
  const priced = new Set(
    fees.filter(one => one.fee_components.some(fee => Number(fee.fee_amount) > 0)).map(one => one.grade),
  )
  const counts = new Map<string, number>()
  for (const { next_grade: grade, registered } of grades)
    if (grade !== undefined && registered > 0 && !priced.has(grade))
      counts.set(grade, (counts.get(grade) ?? 0) + registered)
  return [...counts].map(([grade, students]) => ({ grade, students }))
}

/** Makes the request. A grade with neither a next one nor a tick is not sent, so its students are named as problems. */
export function toRequest(structure: Structure) {
  return {
    grades: structure.grades
      .filter(row => row.leaves || row.next.trim() !== '')
      .map(({ grade, next, leaves }) => (leaves ? { grade } : { grade, next_grade: next.trim() })),
    fees: nextGrades(structure)
      .map(grade => ({ grade, fee_components: feesOf(structure, grade) }))
      .filter(one => one.fee_components.length > 0),
  }
}

function feesOf({ components, amounts }: Structure, grade: string) {
  return components
    .map(type => ({ component_type: type, fee_amount: plainAmount(amounts[grade]?.[type] ?? '') }))
    .filter(fee => fee.fee_amount !== '')
}

export const FILE_HEADINGS = ['grade', 'next_grade', 'component_type', 'fee_amount']

/** One row for each grade and fee. A grade that is undecided is left out: brought back blank it would leave the school. */
export function toFileRows(structure: Structure): string[][] {
  const decided = structure.grades.filter(row => row.leaves || row.next.trim() !== '')
  return decided.flatMap(({ grade, next, leaves }) => {
    const nextGrade = leaves ? '' : next.trim()
    const fees = nextGrade === '' ? [] : feesOf(structure, nextGrade)
    return fees.length === 0
      ? [[grade, nextGrade, '', '']]
      : fees.map(fee => [grade, nextGrade, fee.component_type, fee.fee_amount])
  })
}
