import type { FeeChange } from '../../fees/fees.rules.ts'
import { applyFees, readFeesOf } from '../../fees/fees.service.ts'
import {
  pricedGrades,
  branchesUnder,
  structureFor,
  type FeeStructure,
  type StructureKey,
  type Year,
  type YearStructures,
} from '../../fees/structures/structure.rules.ts'
import { NONE_OF_ITS_OWN, readStructures } from '../../fees/structures/structures.service.ts'
import { readApprovalLimits } from '../../institutes/institutes.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Paise } from '../../platform/money.ts'
import {
  effectOf,
  planStudents,
  type Application,
  type Effect,
  type PlannedStudent,
} from './plan-students.service.ts'
import * as store from './structure-students.store.ts'
import { addAll } from '../../platform/lists.ts'

export type { Category } from './structure-students.store.ts'

export type ClassApplication = {
  grade: string
  isPreview: boolean
  students: Application[]
  /** The last student of this part; null when the class ends with it. */
  nextAfter: string | null
  /** Classes of the same year in which students owe nothing. */
  unpriced: store.UnpricedClass[]
}

const MOST_CLASSES = 100
/** A phone with more is no family's but, say, the school's own. */
const MOST_CHILDREN = 20

/** `of`: the structure whose students these are, of the institute or of a branch. */
type ClassPart = { of: StructureKey; grade: string; isPreview: boolean; after: string | null; limit: number }

/**
 * Sets the fees of a class, or of the next part of a large one, by a structure of its year, in the branches that it is
 * for. Setting them again sets the same, so a class that was applied twice owes once; one transaction, so that a part
 * has them all or none.
 */
export async function applyToClass(
  ctx: Context,
  command: Command<ClassApplication>,
  { institute, of, grade, isPreview, after, limit }: ClassPart & { institute: Institute },
): Promise<ClassApplication> {
  return transact(ctx.db, command, async tx => {
    const { structures, structure, branches } = await readScope(tx, institute, of)
    const limits = { isLocked: !isPreview, limit: limit + 1 }
    const found = await store.readStudents(tx, institute.id, { year: of, branches, grade, after }, limits)
    const students = found.slice(0, limit)
    const nextAfter = found.length > limit ? (students.at(-1)?.id ?? null) : null
    const planned = await planStudents(tx, institute, structures, students)
    if (!isPreview) await write(tx, institute, planned, ctx.clock.now())
    const inOrder = planned
      .map(one => one.application)
      .toSorted((one, other) => one.student.fullname.localeCompare(other.student.fullname))
    const others = { year: of, branches, exceptGrades: pricedGrades(structure), limit: MOST_CLASSES }
    const unpriced = await store.countWithoutFees(tx, institute.id, others)
    return { grade, isPreview, students: inOrder, nextAfter, unpriced }
  })
}

type Scope = { structures: YearStructures; structure: FeeStructure; branches: string[] }

async function readScope(db: Queryable, institute: Institute, of: StructureKey): Promise<Scope> {
  const structures = await readStructures(db, institute.id, of)
  const { collectorCode } = of
  const structure = collectorCode === null ? structures.shared : structures.own.get(collectorCode)
  if (structure === undefined) throw conflict(NONE_OF_ITS_OWN)
  if (structure === null) throw conflict('There is no fee structure of this year yet.')
  return { structures, structure, branches: branchesUnder(structures, collectorCode, institute.branches) }
}

/**
 * Fees of students who came into their class or branch just now, where their year has a structure there. Fees that were set otherwise
 * are the office's own and stay. Brothers and sisters who thereby are another child of their family get the concessions
 * of that.
 */
export async function applyToArrived(
  tx: Transaction,
  { institute, now }: { institute: Institute; now: Date },
  arrived: readonly { id: string; year: Year }[],
  {
    /** A rollover has set the structure's amounts itself; what is left are the concessions. */
    hasSetAmounts = false,
    /** No second person stands behind it, so concessions of brothers and sisters wait until the structure is applied to their class. */
    isAlone = false,
  } = {},
): Promise<Effect> {
  const applied: Application[] = []
  const givesToSiblings = !isAlone || (await readApprovalLimits(tx, institute.id)) === null
  const years = Map.groupBy(arrived, ({ year }) => `${year.academicYearStart} ${year.academicYearEnd}`)
  for (const ofYear of years.values()) {
    const [first] = ofYear
    if (first === undefined) continue
    const structures = await readStructures(tx, institute.id, first.year)
    const own = new Set(ofYear.map(({ id }) => id))
    const families = await store.readFamilies(tx, institute.id, [...own])
    const siblings = [...families.values()].filter(({ length }) => length <= MOST_CHILDREN).flat()
    const ids = [...new Set([...own, ...siblings.map(({ id }) => id)])]
    const students = await store.readStudents(
      tx,
      institute.id,
      { ids },
      { isLocked: true, limit: ids.length },
    )
    const fees = await readFeesOf(tx, institute.id, ids)
    const isOfStructure = ({ id, charged, collectorCode }: store.StructureStudent): boolean =>
      structureFor(structures, collectorCode) !== null &&
      (charged.length > 0 || (own.has(id) && (hasSetAmounts || !fees.has(id))))
    const priced = students.filter(isOfStructure)
    const planned = await planStudents(tx, institute, structures, priced)
    const isDue = ({ plan: { studentId, changes }, application: { givenPaise } }: PlannedStudent): boolean =>
      own.has(studentId) ||
      ((givesToSiblings || givenPaise === 0) && changes.length > 0 && changes.every(isConcessionOnly))
    const due = planned.filter(isDue)
    await write(tx, institute, due, now)
    addAll(
      applied,
      due.map(({ application }) => application),
    )
  }
  return effectOf(applied)
}

/** Amounts of a structure that was changed since wait until it is applied to the class. */
function isConcessionOnly({ before, after }: FeeChange): boolean {
  return before?.feePaise === after.feePaise
}

const MOST_CATEGORIES = 100

/** The categories that children of the year have who pay by this structure: what a rule for one of them would find. */
export async function listCategories(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  of: StructureKey,
): Promise<store.Category[]> {
  const structures = await readStructures(db, institute.id, of)
  const branches = branchesUnder(structures, of.collectorCode, institute.branches)
  return store.countCategories(db, institute.id, { year: of, branches, limit: MOST_CATEGORIES })
}

const MOST_WEIGHED = 3_000

/** What applying the structure to a class would do. */
export async function weighClass(
  db: Queryable,
  institute: Institute,
  { of, grade }: Pick<ClassPart, 'of' | 'grade'>,
): Promise<Effect> {
  const { structures, branches } = await readScope(db, institute, of)
  const limits = { isLocked: false, limit: MOST_WEIGHED }
  const asked = { year: of, branches, grade, after: null }
  const students = await store.readStudents(db, institute.id, asked, limits)
  const planned = await planStudents(db, institute, structures, students)
  return effectOf(planned.map(({ application }) => application))
}

export type ClassMove = { id: string; year: Year; grade: string; collectorCode: string }

/** Sums what each family would be let off if these students came into that class and branch. */
export async function weighMoves(
  db: Queryable,
  institute: Institute,
  moves: readonly ClassMove[],
): Promise<Map<string, Paise>> {
  const given = new Map<string, Paise>()
  for (const ofYear of Map.groupBy(moves, ({ year }) => year.academicYearStart).values()) {
    const [first] = ofYear
    if (first === undefined) continue
    const structures = await readStructures(db, institute.id, first.year)
    const ids = ofYear.map(({ id }) => id)
    const students = await store.readStudents(
      db,
      institute.id,
      { ids },
      { isLocked: false, limit: ids.length },
    )
    const moved = students.flatMap(student => {
      const to = ofYear.find(({ id }) => id === student.id)
      if (to === undefined || student.charged.length === 0) return []
      const { grade, collectorCode } = to
      return structureFor(structures, collectorCode) === null ? [] : [{ ...student, grade, collectorCode }]
    })
    for (const { application } of await planStudents(db, institute, structures, moved))
      given.set(application.student.id, application.givenPaise)
  }
  return given
}

async function write(
  tx: Transaction,
  institute: Institute,
  planned: readonly PlannedStudent[],
  now: Date,
): Promise<void> {
  const good = planned.filter(one => one.application.outcome !== 'skipped')
  await applyFees(
    tx,
    institute.id,
    good.map(one => one.plan),
    { changedAt: now, source: 'structure' },
  )
  const charged = good.map(one => ({ studentId: one.plan.studentId, components: one.components }))
  await store.recordCharged(tx, institute.id, charged, now)
}
