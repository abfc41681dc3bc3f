import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { BursarError } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { totalProblems } from '../../fees/fees.rules.ts'
import { applyFees, readFees, readOwnCharges } from '../../fees/fees.service.ts'
import * as storedStudents from './profile.store.ts'
import {
  branchAfter,
  decideUpdate,
  dropsEveryFee,
  isOtherYear,
  type SourceRecord,
  type StoredStudent,
  type StudentChange,
} from './profile.rules.ts'
import type { StudentKey } from '../students.rules.ts'
import * as store from '../students.store.ts'

export { readStudents } from './profile.store.ts'

export type UpdateOutcome =
  | { kind: 'updated'; changes: readonly StudentChange[] }
  /** The record contradicts what else is known here; nothing was changed. For parents, as the ERP's own words are. */
  | { kind: 'contradiction'; message: string }

type RecordUpdate = {
  institute: Institute
  studentId: string
  record: SourceRecord
  /** Writes down what changed, in the transaction of the change. */
  log: (tx: Transaction, changes: readonly StudentChange[]) => Promise<void>
}

/** Students with what they cost, in the order asked for; null where there is no such student. */
export async function readStoredStudents(
  db: Queryable,
  keys: readonly StudentKey[],
): Promise<(StoredStudent | null)[]> {
  if (keys.length === 0) return []
  const [stored, own] = await Promise.all([
    storedStudents.readStoredStudents(db, keys),
    readOwnCharges(db, keys),
  ])
  return stored.map(one => one && { ...one, ownCharges: own.get(one.student.id) ?? new Map() })
}

/** Brings a student up to date with its ERP's record, all of it or nothing. */
export async function updateFromRecord(ctx: Context, update: RecordUpdate): Promise<UpdateOutcome> {
  const codes = codesOf(update.record)
  try {
    await checkCatalogue(ctx.db, update.institute, codes)
    const changes = await ctx.db.transaction(async tx => {
      await joinCatalogue(tx, update.institute, codes)
      return applyRecord(tx, update, ctx.clock.now())
    })
    return { kind: 'updated', changes }
  } catch (error) {
    const why = contradictionOf(error, update)
    if (why === null) throw error
    return {
      kind: 'contradiction',
      message: `The school's data of this student need a correction: ${why}.`,
    }
  }
}

class Contradiction extends Error {}

/** Decided under the student's lock, on what is stored now: whatever changed since the ERP was asked is seen. */
async function applyRecord(
  tx: Transaction,
  { institute, studentId, record, log }: RecordUpdate,
  now: Date,
): Promise<readonly StudentChange[]> {
  const before = await store.lockStudent(tx, institute.id, studentId)
  if (before === null) throw new Error('a student vanished')
  if (isOtherYear(before, record)) throw new Contradiction('the record is of another academic year')
  const branch = branchAfter(institute, before, record)
  if (branch === null) throw new Contradiction(`there is no branch ${record.collectorCode}`)
  const current = await readFees(tx, institute.id, studentId)
  const own = await readOwnCharges(tx, [{ instituteId: institute.id, studentId }])
  const stored = { student: before, fees: current, ownCharges: own.get(studentId) ?? new Map() }
  const update = decideUpdate(stored, record, branch)
  const [tooMuch] = totalProblems(current, update.fees, 'fee_components')
  if (tooMuch !== undefined) throw new Contradiction(`${tooMuch.key} ${tooMuch.message}`)
  if (update.isIdentityChanged && (await store.findIdentical(tx, institute.id, update.student)) !== null) {
    throw new Contradiction(takenWords(record))
  }
  if (dropsEveryFee(stored, record.fees))
    throw new Contradiction('data.fee_components is empty, and the student has fees')
  if (update.isStudentChanged) await store.updateStudent(tx, institute.id, update.student, now)
  const plan = { studentId, changes: [...update.fees] }
  await applyFees(tx, institute.id, [plan], { changedAt: now, source: 'pull' })
  await log(tx, update.changes)
  return update.changes
}

/** Null when the failure is not the record's. */
function contradictionOf(error: unknown, { record }: RecordUpdate): string | null {
  if (error instanceof Contradiction) return error.message
  if (store.isIdentityClash(error)) return takenWords(record)
  const [problem] = error instanceof BursarError ? (error.problems ?? []) : []
  return problem === undefined ? null : `${problem.key} ${problem.message}`
}

function takenWords({ identity, collectorCode }: SourceRecord): string {
  const { identifier, grade, academicYearStart, academicYearEnd } = identity
  const branch = collectorCode === null ? '' : ` of the branch ${collectorCode}`
  return `another student${branch} has the identifier ${identifier} in grade ${grade} of ${academicYearStart}-${academicYearEnd}`
}

function codesOf({ identity, fees }: SourceRecord): CodeInUse[] {
  return [
    { kind: 'grade', code: identity.grade, key: 'data.student.grade' },
    ...fees.map(({ componentType: code }, index): CodeInUse => {
      return { kind: 'component', code, key: `data.fee_components.${index}.component_type` }
    }),
  ]
}
