import {
  planRegistrations,
  registerStudents,
  type RegistrationContext,
  type RegistrationPlan,
} from '../../../students/registration/register-students.service.ts'
import type { Transaction } from '../../../platform/db/database.ts'
import type { ImportKindDefinition, Outcome } from '../kind.ts'
import { isRead, problemsOf, sameStudentProblem, type PlacedRow } from '../merge.rules.ts'
import { keysByStudent, ofStudents } from '../student-identity.schemas.ts'
import { mergeStudentRows } from './merge-rows.rules.ts'
import { studentRows, type StudentRow } from './erp-rows.schemas.ts'
import { addAll } from '../../../platform/lists.ts'

type PlannedStudent = { plan: RegistrationPlan; rows: PlacedRow<StudentRow>[] }

/** A file of students: each row does what Register Student does, without fees and payments. */
export const studentImport: ImportKindDefinition<StudentRow> = {
  ...ofStudents,
  rows: studentRows,
  keysOf: keysByStudent(),
  codesOf: row => [{ kind: 'grade', code: row.identity.grade, column: 'grade' }],
  async judge(db, { institute, now, gradeNames }, groups, options) {
    const context: RegistrationContext = { institute, now, gradeNames, source: 'import' }
    const merged = groups.map(group => mergeStudentRows(group.filter(isRead)))
    const units = merged.flatMap(one => one.units)
    const registrations = units.map(({ said }) => ({ ...said, fees: [], payments: [] }))
    const plans = await planRegistrations(db, context, registrations, options)
    const problems = merged.flatMap(one => one.problems)
    const planned = new Map<string, PlannedStudent>()
    for (const [index, plan] of plans.entries()) {
      const rows = units[index]?.rows ?? []
      const other = planned.get(plan.student.id)
      if (plan.kind === 'someone_else') addAll(problems, problemsOf(rows, SOMEONE_ELSE))
      else if (other !== undefined) addAll(problems, problemsOf(rows, sameStudentProblem(other.rows)))
      else planned.set(plan.student.id, { plan, rows })
    }
    return { problems, apply: tx => apply(tx, context, [...planned.values()]) }
  },
}

const SOMEONE_ELSE = {
  column: 'fullname',
  message:
    'and date_of_birth both differ from the registered student with this identifier, grade and year; correct one of them',
}

/** A row has changed something when its student did, or when it linked a user. */
async function apply(
  tx: Transaction,
  context: RegistrationContext,
  planned: readonly PlannedStudent[],
): Promise<Outcome> {
  const links = await registerStudents(
    tx,
    context,
    planned.map(({ plan }) => plan),
  )
  const linked = new Set(links.map(link => `${link.studentId} ${link.registrationId}`))
  const outcome: Outcome = { appliedRows: 0, unchangedRows: 0 }
  for (const { plan, rows } of planned) {
    const isChanged = plan.kind === 'new' || (plan.kind === 'known' && plan.changes.length > 0)
    for (const { row } of rows) {
      if (isChanged || linked.has(`${plan.student.id} ${row.registrationId}`)) outcome.appliedRows++
      else outcome.unchangedRows++
    }
  }
  return outcome
}
