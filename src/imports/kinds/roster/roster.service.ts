import { loweredBy } from '../../../fees/fees.rules.ts'
import { applyFees, planFees, type FeePlan } from '../../../fees/fees.service.ts'
import { pricedGrades, structureFor } from '../../../fees/structures/structure.rules.ts'
import { readStructures } from '../../../fees/structures/structures.service.ts'
import { listEntries } from '../../../institutes/catalogue.service.ts'
import { dayOf } from '../../../platform/calendar.ts'
import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import { toRupees } from '../../../platform/money.ts'
import { ROW_FILES } from '../../../platform/limits.rules.ts'
import {
  planRegistrations,
  registerStudents,
  type RegistrationContext,
  type RegistrationPlan,
} from '../../../students/registration/register-students.service.ts'
import { birthProblems, yearName, type Student } from '../../../students/students.rules.ts'
import {
  applyToArrived,
  weighMoves,
  type ClassMove,
} from '../../../students/structures/apply-structure.service.ts'
import { findFamilies } from '../../../students/users/users.service.ts'
import type { LoweredRow } from '../../engine/rows.store.ts'
import type { RawRow } from '../../files/columns.rules.ts'
import type { ImportKindDefinition, ChunkVerdict, Outcome } from '../kind.ts'
import {
  childOf,
  isRead,
  problemsOf,
  sameStudentProblem,
  type RowGroup,
  type PlacedRow,
  type Problem,
  type RowLabel,
  type RowProblem,
} from '../merge.rules.ts'
import { keysByNumber, ofStudents } from '../row-fields.schemas.ts'
import { tidyRow } from './cells.rules.ts'
import { SchoolClasses, RosterLines } from './classes.rules.ts'
import { rosterRows, type RosterRow } from './roster-rows.schemas.ts'
import { addAll } from '../../../platform/lists.ts'
import { isSameName } from '../../../platform/names.ts'

type PlannedRosterRow = { plan: RegistrationPlan; fees: FeePlan; placed: PlacedRow<RosterRow> }

/** A school's own list of students, with their fees beside them where it has columns of fees. */
export const rosterImport: ImportKindDefinition<RosterRow> = {
  ...ofStudents,
  limits: ROW_FILES.roster,
  async senseOf(db, institute, columns) {
    const classes = await readClassesOfYear(db, institute.id, columns.defaults)
    const lines = new RosterLines(columns, classes)
    return {
      rowOf(cells) {
        const line = lines.take(cells)
        if (line.kind === 'child') return { cells: line.cells }
        return line.kind === 'other' ? { cells: null, text: line.text } : { cells: null }
      },
      tidy: (raw, written) => tidyRow(raw, { classes, written }),
    }
  },
  // Not what differs between children, and no fees: brothers would owe the same amount twice.
  mergedFields: ['grade', 'section', 'primary_contact_number', 'father_name', 'mother_name', 'guardian_name'],
  rows: rosterRows,
  keysOf: keysByNumber,
  codesOf: ({ identity, fees }) => [
    { kind: 'grade', code: identity.grade, column: 'grade' },
    ...fees.map(({ componentType }) => {
      return { kind: 'component' as const, code: componentType, column: `fee:${componentType}` }
    }),
  ],
  labelOf: labelOfRow,
  async judge(db, { institute, now, gradeNames }, groups, options) {
    const context: RegistrationContext = { institute, now, gradeNames, source: 'import' }
    const { rows, problems } = onePerStudent(groups)
    const plans = await planRows(db, context, rows, options)
    const sent = plans.map(({ registration, student }) => ({
      studentId: student.id,
      fees: registration.fees,
    }))
    const fees = await planFees(db, institute.id, sent, 'grade')
    const planned = new Map<string, PlannedRosterRow>()
    for (const [index, plan] of plans.entries()) {
      const [placed, feePlan] = [rows[index], fees[index]]
      if (placed === undefined || feePlan === undefined) continue
      const other = planned.get(plan.student.id)
      const [tooMuch] = feePlan.problems
      const [born] = birthProblems(placed.row.profile.dateOfBirth, dayOf(now), 'date_of_birth')
      if (born !== undefined)
        addAll(problems, problemsOf([placed], { column: born.key, message: born.message }))
      else if (plan.kind === 'known' && plan.student.origin === 'erp' && institute.locksErpStudents)
        addAll(problems, problemsOf([placed], KEPT_BY_ERP))
      else if (plan.kind === 'unclear') addAll(problems, problemsOf([placed], unclearProblem(plan.others)))
      else if (plan.kind === 'someone_else') addAll(problems, problemsOf([placed], SOMEONE_ELSE))
      else if (other !== undefined) addAll(problems, problemsOf([placed], sameStudentProblem([other.placed])))
      else if (tooMuch !== undefined)
        addAll(problems, problemsOf([placed], { column: '', message: tooMuch.message }))
      else planned.set(plan.student.id, { plan, fees: feePlan, placed })
    }
    const all = [...planned.values()]
    const lowered = await findLowered(db, context, all)
    if (!options.isLocked) {
      const summary = await summarise(db, context, all)
      return { problems, ...summary, lowered, apply: tx => apply(tx, context, all) }
    }
    // Somebody registered the student, or raised its fees, since the list was checked and approved.
    const isUnseen = ({ placed, plan }: PlannedRosterRow): boolean =>
      lowered.some(row => row.studentId === plan.student.id && row.loweredPaise > placed.loweredPaise)
    const good = all.filter(one => !isUnseen(one))
    const unseen = all.filter(isUnseen).map(one => one.placed)
    addAll(problems, problemsOf(unseen, LOWERS_UNSEEN))
    return { problems, apply: tx => apply(tx, context, good) }
  },
}

/** The school's classes as far as they are known before the year of a list is. */
export async function readClasses(db: Queryable, instituteId: number): Promise<SchoolClasses> {
  return new SchoolClasses({ ofYear: [], ever: await everHad(db, instituteId) })
}

async function everHad(db: Queryable, instituteId: number): Promise<string[]> {
  return (await listEntries({ db }, { id: instituteId }, 'grade')).map(({ code }) => code)
}

async function readClassesOfYear(
  db: Queryable,
  instituteId: number,
  defaults: RawRow,
): Promise<SchoolClasses> {
  const { shared, own } = await readStructures(db, instituteId, {
    academicYearStart: Number(defaults['academic_year_start']),
    academicYearEnd: Number(defaults['academic_year_end']),
  })
  const structures = [...(shared === null ? [] : [shared]), ...own.values()]
  const ofYear = [...new Set(structures.flatMap(pricedGrades))]
  return new SchoolClasses({ ofYear, ever: await everHad(db, instituteId) })
}

function labelOfRow({ identity, profile, fees }: RosterRow, column: string): RowLabel {
  const fee = fees.find(one => column === `fee:${one.componentType}`)
  const cells: Record<string, string | null | undefined> = {
    identifier: identity.identifier,
    grade: identity.grade,
    fullname: profile.fullname,
    date_of_birth: profile.dateOfBirth,
    primary_contact_number: profile.contactNumber,
  }
  const cell = fee === undefined ? (cells[column] ?? '') : String(toRupees(fee.feePaise))
  return { child: childOf(profile.fullname, identity.identifier), cell }
}

const LOWERS_UNSEEN = {
  column: '',
  message:
    'asks less of this student than the check of the list said; fees were changed since. Upload the list again',
}

const KEPT_BY_ERP = {
  column: 'identifier',
  message: 'is of a student that the ERP keeps; such students are locked',
}

const SOMEONE_ELSE = {
  column: 'fullname',
  message: 'and date of birth both differ from the student with this admission number; correct one of them',
}

function unclearProblem(others: readonly Student[]): Problem {
  const names = others.map(({ fullname, grade }) => `${fullname} in class ${grade}`)
  return {
    column: 'identifier',
    message: `is already that of ${names.join(' and ')}; correct the number, or the class on that student's page`,
  }
}

/** A list names a child once; which of two rows is right, nobody could tell. */
function onePerStudent(groups: readonly RowGroup<RosterRow>[]): {
  rows: PlacedRow<RosterRow>[]
  problems: RowProblem[]
} {
  const read = groups.map(group => group.filter(isRead))
  return {
    rows: read.flatMap(([first]) => first ?? []),
    problems: read.flatMap(([first, ...others]) =>
      first === undefined ? [] : others.flatMap(other => problemsOf([other], twiceProblem(first, other))),
    ),
  }
}

function twiceProblem(first: PlacedRow<RosterRow>, other: PlacedRow<RosterRow>): Problem {
  const { fullname } = first.row.profile
  return {
    column: 'identifier',
    message: isSameName(fullname, other.row.profile.fullname)
      ? `and name stand in row ${first.rowNo} already, which is used`
      : `stands in row ${first.rowNo} already, of ${fullname}; one of the two numbers is wrong`,
  }
}

async function planRows(
  db: Queryable,
  context: RegistrationContext,
  rows: readonly PlacedRow<RosterRow>[],
  options: { isLocked: boolean },
): Promise<RegistrationPlan[]> {
  const phones = rows.map(({ row }) => row.profile.contactNumber)
  const families = await findFamilies(db, context.institute.id, phones)
  const registrations = rows.map(({ row: { registrationId, ...said } }) => ({
    ...said,
    registrationIds: [registrationId ?? families.get(said.profile.contactNumber) ?? ''],
    origin: 'file' as const,
    payments: [],
  }))
  return planRegistrations(db, context, registrations, { ...options, mayChangeClass: true })
}

/** Students who would owe less, by the list's fees or by another class. */
async function findLowered(
  db: Queryable,
  context: RegistrationContext,
  planned: readonly PlannedRosterRow[],
): Promise<LoweredRow[]> {
  const moves = planned.flatMap(({ plan }): ClassMove[] => {
    const { id, grade, collectorCode } = plan.student
    return plan.kind !== 'new' && needsPrice(plan) ? [{ id, year: plan.student, grade, collectorCode }] : []
  })
  const byClass = await weighMoves(db, context.institute, moves)
  return planned
    .map(({ plan: { student }, fees, placed: { groupNo, rowNo } }) => {
      const loweredPaise = byClass.get(student.id) ?? loweredBy(fees.changes)
      return { groupNo, rowNo, studentId: student.id, loweredPaise }
    })
    .filter(row => row.loweredPaise > 0)
}

/** What a person should know before it is started. */
async function summarise(
  db: Queryable,
  context: RegistrationContext,
  planned: readonly PlannedRosterRow[],
): Promise<Omit<ChunkVerdict, 'problems' | 'apply'>> {
  return {
    unpricedGrades: await findUnpriced(db, context, planned),
    knownRows: planned.filter(({ plan }) => plan.kind !== 'new').length,
  }
}

/** The class of each student who would come into a class without fees, and has none in the list. */
async function findUnpriced(
  db: Queryable,
  { institute }: RegistrationContext,
  planned: readonly PlannedRosterRow[],
): Promise<string[]> {
  const arriving = planned.map(({ plan }) => plan).filter(needsPrice)
  const years = Map.groupBy(arriving, ({ student }) =>
    yearName(student.academicYearStart, student.academicYearEnd),
  )
  const unpriced: string[] = []
  for (const plans of years.values()) {
    const [first] = plans
    if (first === undefined) continue
    const structures = await readStructures(db, institute.id, first.student)
    const isPriced = ({ grade, collectorCode }: Student): boolean => {
      const structure = structureFor(structures, collectorCode)
      return structure !== null && pricedGrades(structure).some(priced => isSameName(priced, grade))
    }
    const without = plans.filter(({ student }) => !isPriced(student))
    addAll(
      unpriced,
      without.map(({ student }) => student.grade),
    )
  }
  return unpriced
}

async function apply(
  tx: Transaction,
  context: RegistrationContext,
  planned: readonly PlannedRosterRow[],
): Promise<Outcome> {
  const plans = planned.map(({ plan }) => plan)
  const links = await registerStudents(tx, context, plans)
  const changed = new Set(links.map(link => link.studentId))
  for (const { plan, fees } of planned) {
    if (plan.kind === 'new' || (plan.kind === 'known' && plan.changes.length > 0))
      changed.add(plan.student.id)
    if (fees.changes.length > 0) changed.add(plan.student.id)
  }
  const change = { changedAt: context.now, source: 'import' } as const
  await applyFees(
    tx,
    context.institute.id,
    planned.map(({ fees }) => fees),
    change,
  )
  const priced = plans.filter(needsPrice)
  await applyToArrived(
    tx,
    context,
    priced.map(({ student }) => ({ id: student.id, year: student })),
    { isAlone: true },
  )
  return { appliedRows: changed.size, unchangedRows: planned.length - changed.size }
}

/** New in its class or branch and without fees in the list. The ERP sends the fees of its own students. */
function needsPrice(plan: RegistrationPlan): boolean {
  if (plan.registration.fees.length > 0) return false
  if (plan.kind === 'new') return true
  if (plan.kind !== 'known' || plan.student.origin === 'erp') return false
  return plan.changes.some(({ field }) => field === 'grade' || field === 'collector_code')
}
