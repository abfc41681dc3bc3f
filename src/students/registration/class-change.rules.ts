import { pickRegistered, type Identity, type Profile, type Student } from '../students.rules.ts'

type RegisteredStudent = { student: Student; isBranchAssumed: boolean }
type AskedClass = { identity: Identity; profile: Profile; sentBranch: string | undefined; branch: string }

export type InAnyClass<One> =
  | { kind: 'none' }
  | { kind: 'found'; found: One }
  /** Which of them is meant, or whether it is the same child, only a person can tell. */
  | { kind: 'unclear'; others: One[] }

/**
 * Which student a row of the office's list is about when its class may have been corrected. `known`: all of its
 * admission number and year. The student of that class comes first; otherwise the only active one of the number, if it
 * is the same child by name or birthday: lists that number each class from 1 must not move one child into another's place.
 */
export function pickInAnyClass<One extends RegisteredStudent>(
  known: readonly One[],
  { identity, profile, sentBranch, branch }: AskedClass,
): InAnyClass<One> {
  const ofClass = known.filter(({ student }) => student.grade === identity.grade)
  const exact = pickRegistered(ofClass, sentBranch, branch)
  const others = known.filter(
    one =>
      one !== exact &&
      one.student.status === 'active' &&
      (one.student.collectorCode === branch || (sentBranch === undefined && one.isBranchAssumed)),
  )
  if (exact !== undefined && (exact.student.status === 'active' || others.length === 0))
    return { kind: 'found', found: exact }
  const [only, second] = others
  if (only === undefined) return { kind: 'none' }
  if (exact !== undefined || second !== undefined || !isSameChild(only.student, profile))
    return { kind: 'unclear', others }
  return { kind: 'found', found: only }
}

function isSameChild(stored: Profile, sent: Profile): boolean {
  if (stored.dateOfBirth !== null && stored.dateOfBirth === sent.dateOfBirth) return true
  return plainName(stored.fullname) === plainName(sent.fullname)
}

function plainName(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s.]+/g, '')
}
