import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { BursarError } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import type { ErpRecord } from '../../erp/erp.rules.ts'
import { totalProblems } from '../../fees/fees.rules.ts'
import { applyFeeChanges, readFees } from '../../fees/fees.store.ts'
import * as store from '../../erp/pull/pull.store.ts'
import { branchAfter, decideUpdate, type StudentChange } from './update.rules.ts'
import { lockStudent, updateStudent } from '../students.store.ts'

export type UpdateOutcome =
  | { kind: 'updated'; changes: readonly StudentChange[] }
  /** The record contradicts what else is known here; nothing was changed. For parents, as the ERP's own words are. */
  | { kind: 'contradiction'; message: string }

type Scene = {
  institute: Institute
  studentId: string
  record: ErpRecord
  /** The log's row, written with the change that it tells of. */
  log: (changes: readonly StudentChange[]) => store.Fetch & { instituteId: number }
}

/** Brings a student up to date with its ERP's record, all of it or nothing. */
export async function updateFromRecord(ctx: Context, scene: Scene): Promise<UpdateOutcome> {
  const codes = codesOf(scene.record)
  try {
    await checkCatalogue(ctx.db, scene.institute, codes)
    const changes = await ctx.db.transaction(async tx => {
      await joinCatalogue(tx, scene.institute, codes)
      return applyRecord(tx, scene, ctx.clock.now())
    })
    return { kind: 'updated', changes }
  } catch (error) {
    const why = contradictionOf(error, scene)
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
  { institute, studentId, record, log }: Scene,
  now: Date,
): Promise<readonly StudentChange[]> {
  const before = await lockStudent(tx, institute.id, studentId)
  if (before === null) throw new Error('a student vanished')
  const branch = branchAfter(institute, before, record)
  if (branch === null) throw new Contradiction(`there is no branch ${record.collectorCode}`)
  const current = await readFees(tx, institute.id, studentId)
  const update = decideUpdate({ student: before, fees: current }, record, branch)
  const [tooMuch] = totalProblems(current, update.fees, 'fee_components')
  if (tooMuch !== undefined) throw new Contradiction(`${tooMuch.key} ${tooMuch.message}`)
  if (update.isIdentityChanged && (await store.findIdentical(tx, institute.id, update.student)) !== null) {
    throw new Contradiction(takenWords(record))
  }
  if (update.isStudentChanged) await updateStudent(tx, institute.id, update.student, now)
  const feeChanges = update.fees.map(change => ({ ...change, studentId }))
  await applyFeeChanges(tx, institute.id, feeChanges, { changedAt: now, source: 'pull' })
  await store.insertFetches(tx, [log(update.changes)])
  return update.changes
}

/** Null when the failure is not the record's. */
function contradictionOf(error: unknown, { record }: Scene): string | null {
  if (error instanceof Contradiction) return error.message
  if (store.isIdentityClash(error)) return takenWords(record)
  const [problem] = error instanceof BursarError ? (error.problems ?? []) : []
  return problem === undefined ? null : `${problem.key} ${problem.message}`
}

function takenWords({ identity, collectorCode }: ErpRecord): string {
  const { identifier, grade, academicYearStart, academicYearEnd } = identity
  const branch = collectorCode === null ? '' : ` of the branch ${collectorCode}`
  return `another student${branch} has the identifier ${identifier} in grade ${grade} of ${academicYearStart}-${academicYearEnd}`
}

function codesOf({ identity, fees }: ErpRecord): CodeInUse[] {
  return [
    { kind: 'grade', code: identity.grade, key: 'data.student.grade' },
    ...fees.map(({ componentType: code }, index): CodeInUse => {
      return { kind: 'component', code, key: `data.fee_components.${index}.component_type` }
    }),
  ]
}
