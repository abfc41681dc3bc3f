import { pickRegistered } from '../../students/students.rules.ts'
import type { Problem } from './merge.rules.ts'

export type Owner<Known> =
  | { kind: 'found'; known: Known }
  | { kind: 'none' }
  | { kind: 'several'; branches: string[] }

/** Which student fees or a payment are of; without a branch it may also be the only one there is. */
export function pickOwner<Known extends { student: { collectorCode: string }; isBranchAssumed: boolean }>(
  known: readonly Known[],
  sentBranch: string | undefined,
  branch: string,
): Owner<Known> {
  const [only, second] = known
  const found =
    pickRegistered(known, sentBranch, branch) ??
    (sentBranch === undefined && second === undefined ? only : undefined)
  if (found !== undefined) return { kind: 'found', known: found }
  if (sentBranch !== undefined || only === undefined) return { kind: 'none' }
  return { kind: 'several', branches: known.map(({ student }) => student.collectorCode) }
}

export function ownerProblem(owner: Owner<unknown>, sentBranch: string | undefined): Problem {
  if (owner.kind === 'several') {
    return {
      column: 'collector_code',
      message: `is required: such students are in ${owner.branches.join(', ')}`,
    }
  }
  const where = sentBranch === undefined ? '' : ` in the branch ${sentBranch}`
  return {
    column: 'identifier',
    message: `is of no student of this grade and academic year${where}; import or register the student first`,
  }
}

/** Two ways to name one student would be two judgements of it that know nothing of each other. */
export function sameStudentProblem([first]: readonly { rowNo: number }[]): Problem {
  return {
    column: 'collector_code',
    message: `makes this the student of row ${first?.rowNo ?? 0}, which is named otherwise there; name it the same way in both`,
  }
}
