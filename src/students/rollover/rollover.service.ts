import { isDeepStrictEqual } from 'node:util'
import { joinCatalogue, checkCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { feeProblems } from '../../fees/fees.rules.ts'
import { priceStudent, type Year } from '../../fees/structures/structure.rules.ts'
import { readStructures } from '../../fees/structures/structures.service.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import { badField, badFields, conflict, notFound, type FieldProblem } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { bisectOnFailure } from '../../platform/concurrency.ts'
import {
  apply,
  contextOf,
  foreseeConcessions,
  judge,
  summarise,
  summariseFailed,
  type ReadUnsettled,
  type YearEnd,
} from './roll-batch.service.ts'
import type { RolloverOptions } from './rollover.rules.ts'
import * as store from './rollover.store.ts'

export { ROLLOVER_STATES, type CarriedTo, type Rollover, type RolloverProblem } from './rollover.store.ts'
export type { ReadUnsettled, YearEnd } from './roll-batch.service.ts'

export type WantedRollover = store.Years & RolloverOptions

const BATCH = 200

/** Starts one; a background job does the work, batch by batch. A preview is answered at once and changes nothing. */
export async function startRollover(
  ctx: Context,
  command: Command<store.Rollover>,
  institute: Institute,
  { readUnsettled, ...wanted }: WantedRollover & { isPreview: boolean; readUnsettled: ReadUnsettled },
): Promise<store.Rollover> {
  const { isPreview, fromYearStart, fromYearEnd, toYearStart, toYearEnd, ...sent } = wanted
  const problems = optionProblems(wanted)
  if (problems.length > 0) throw badFields(problems)
  const options = await withStructure(ctx.db, institute, sent, {
    academicYearStart: toYearStart,
    academicYearEnd: toYearEnd,
  })
  const clashes = carriedProblems(options)
  if (clashes.length > 0) throw badFields(clashes)
  const codes = codesOf(options)
  await checkCatalogue(ctx.db, institute, codes)
  const now = ctx.clock.now()
  const rollover: store.Rollover = {
    id: newId('roll'),
    fromYearStart,
    fromYearEnd,
    toYearStart,
    toYearEnd,
    options,
    state: 'running',
    studentsTotal: await store.countStudents(ctx.db, institute.id, wanted),
    seenUntil: '',
    grades: [],
    problems: [],
    createdAt: now,
    finishedAt: null,
  }
  if (isPreview) {
    const seen = await preview(ctx, institute, { rollover, readUnsettled })
    return transact(ctx.db, command, async () => ({ ...seen, finishedAt: now }))
  }
  try {
    return await transact(ctx.db, command, async tx => {
      await joinCatalogue(tx, institute, codes)
      await store.insertRollover(tx, institute.id, rollover)
      return rollover
    })
  } catch (error) {
    if (!store.isUnderWay(error)) throw error
    throw conflict('A rollover of this institute is under way. Wait until it is done.')
  }
}

/**
 * A grade that no fees were sent for costs what the structure of the new year says; one of a branch with a structure
 * of its own always what that says.
 */
async function withStructure(
  db: Queryable,
  institute: Institute,
  options: RolloverOptions,
  year: Year,
): Promise<RolloverOptions> {
  const { shared, own } = await readStructures(db, institute.id, year)
  const grades = [...new Set(options.grades.flatMap(({ nextGrade }) => nextGrade ?? []))]
  const structureFees = [...(shared === null ? [] : [shared]), ...own.values()].flatMap(structure =>
    grades.flatMap(grade => {
      const fees = priceStudent(structure, { grade, category: null, childNo: 1 })
      return fees.length === 0 ? [] : [{ collectorCode: structure.collectorCode, grade, fees }]
    }),
  )
  return { ...options, structureFees, ownBranches: [...own.keys()] }
}

export async function getRollover(ctx: Context, institute: Institute, id: string): Promise<store.Rollover> {
  const found = await store.findRollover(ctx.db, institute.id, id)
  if (found === null) throw notFound('This rollover')
  return found
}

export async function listRollovers(
  ctx: Context,
  institute: Institute,
  page: PageRange,
): Promise<Page<store.Rollover>> {
  return store.listRollovers(ctx.db, institute.id, page)
}

function optionProblems(wanted: WantedRollover): FieldProblem[] {
  if (wanted.toYearStart <= wanted.fromYearStart)
    throw badField('to_academic_year_start', 'must be after from_academic_year_start')
  return [
    ...repeatedGrade(wanted.grades, 'grades'),
    ...repeatedGrade(wanted.fees, 'fees'),
    ...wanted.fees.flatMap(({ fees }, index) => feeProblems(fees, `fees.${index}.fee_components`)),
  ]
}

/** Carried dues have a component of their own: a fee of the grade with the same code would take their place. */
function carriedProblems({ fees, structureFees = [], duesComponent }: RolloverOptions): FieldProblem[] {
  const isFee = [...fees, ...structureFees].some(one =>
    one.fees.some(fee => fee.componentType === duesComponent),
  )
  return isFee
    ? [{ key: 'carry_dues_as', message: 'is a fee of the new year; dues need a name of their own' }]
    : []
}

function repeatedGrade(rows: readonly { grade: string }[], key: string): FieldProblem[] {
  const isRepeated = new Set(rows.map(row => row.grade)).size < rows.length
  return isRepeated ? [{ key, message: 'has a grade twice' }] : []
}

function codesOf({ grades, fees, duesComponent, advanceComponent }: RolloverOptions): CodeInUse[] {
  const carried: [string | null, string][] = [
    [duesComponent, 'carry_dues_as'],
    [advanceComponent, 'carry_advance_as'],
  ]
  return [
    ...grades.flatMap(({ nextGrade }, index): CodeInUse[] =>
      nextGrade === null ? [] : [{ kind: 'grade', code: nextGrade, key: `grades.${index}.next_grade` }],
    ),
    ...fees.flatMap((one, index) =>
      one.fees.map((fee, no): CodeInUse => ({
        kind: 'component',
        code: fee.componentType,
        key: `fees.${index}.fee_components.${no}.component_type`,
      })),
    ),
    ...carried.flatMap(([code, key]): CodeInUse[] =>
      code === null ? [] : [{ kind: 'component', code, key }],
    ),
  ]
}

async function preview(
  ctx: Context,
  institute: Institute,
  { rollover, readUnsettled }: { rollover: store.Rollover; readUnsettled: ReadUnsettled },
): Promise<store.Rollover> {
  const context = contextOf(institute, ctx.clock.now())
  const { duesComponent } = rollover.options
  const year = { academicYearStart: rollover.toYearStart, academicYearEnd: rollover.toYearEnd }
  const structures = await readStructures(ctx.db, institute.id, year)
  for (let seen = rollover; ;) {
    const ids = await store.listNextIds(ctx.db, institute.id, seen, BATCH)
    if (ids.length === 0) return { ...seen, state: 'done' }
    const batch = await store.readBatch(ctx.db, institute.id, seen, { ids, duesComponent, isLocked: false })
    const target = { context, rollover: seen, readUnsettled }
    const results = await judge(ctx.db, target, batch, { isLocked: false })
    seen = summarise(seen, await foreseeConcessions(ctx.db, target, results, structures))
  }
}

/** The year to which the dues of a record were carried at a moment; null when they were not. */
export async function findCarriedTo(
  { db }: Pick<Context, 'db'>,
  of: { instituteId: number; studentId: string; at: Date },
): Promise<store.CarriedTo | null> {
  return store.findCarriedTo(db, of)
}

/** Ends one that is under way. What it has registered and carried stays; another one goes on from there. */
export async function stopRollover(
  ctx: Context,
  command: Command<store.Rollover>,
  institute: Institute,
  id: string,
): Promise<store.Rollover> {
  return transact(ctx.db, command, async tx => {
    const found = await store.lockRollover(tx, institute.id, id)
    if (found === null) throw notFound('This rollover')
    if (found.state !== 'running') throw conflict(`This rollover is ${found.state}.`)
    const stopped = { ...found, state: 'stopped' as const, finishedAt: ctx.clock.now() }
    await store.updateRollover(tx, institute.id, stopped)
    return stopped
  })
}

/**
 * One batch of the oldest that is under way; returns how many students it was, at least 1 while there are more. A student
 * that cannot be written keeps no other waiting: it is named among the problems, and the first such error is thrown
 * after the batch, for the log.
 */
export async function advanceRollovers(ctx: Context, yearEnd: YearEnd): Promise<number> {
  const found = await store.findRunning(ctx.db)
  if (found === null) return 0
  const { instituteId, id } = found
  const ids = await store.listNextIds(ctx.db, instituteId, found, BATCH)
  if (ids.length === 0) {
    await finish(ctx, instituteId, id)
    return 1
  }
  const failures: unknown[] = []
  await bisectOnFailure(
    ids,
    some => advance(ctx, { instituteId, id, ids: some, yearEnd }),
    async (studentId, error) => {
      failures.push(error)
      await passBy(ctx, instituteId, id, studentId)
    },
  )
  if (failures.length > 0) throw failures[0]
  return ids.length
}

/** Some students of a rollover, in order. */
type RolloverBatch = { instituteId: number; id: string; ids: readonly string[] }

/** The batch and the cursor behind it are one transaction, so a run that was killed goes on where it stopped. */
async function advance(
  ctx: Context,
  { instituteId, id, ids, yearEnd }: RolloverBatch & { yearEnd: YearEnd },
): Promise<void> {
  const [institute] = await getInstitutesById(ctx, [instituteId])
  if (institute === undefined) throw new Error('an institute vanished')
  await ctx.db.transaction(async tx => {
    const rollover = await lockBehind(tx, { instituteId, id, ids })
    if (rollover === null) return
    if (await hasOtherStructure(tx, institute, rollover))
      return end(tx, instituteId, rollover, ctx.clock.now())
    const { readUnsettled } = yearEnd
    const target = { context: contextOf(institute, ctx.clock.now()), rollover, readUnsettled }
    const batch = await store.readBatch(tx, instituteId, rollover, {
      ids,
      duesComponent: rollover.options.duesComponent,
      isLocked: true,
    })
    const results = await judge(tx, target, batch, { isLocked: true })
    await apply(tx, target, results, yearEnd)
    const seenUntil = ids.at(-1) ?? rollover.seenUntil
    await store.updateRollover(tx, instituteId, { ...summarise(rollover, results), seenUntil })
  })
}

/**
 * Whether the structures of the new year changed since the rollover was started. What it gives away was weighed by the old
 * ones, so it ends, and whoever starts it again sees what it does now.
 */
async function hasOtherStructure(
  tx: Transaction,
  institute: Institute,
  { options, toYearStart, toYearEnd }: store.Rollover,
): Promise<boolean> {
  const year = { academicYearStart: toYearStart, academicYearEnd: toYearEnd }
  const now = await withStructure(tx, institute, options, year)
  return !isDeepStrictEqual(JSON.parse(JSON.stringify(now)), options)
}

async function end(tx: Transaction, instituteId: number, rollover: store.Rollover, at: Date): Promise<void> {
  await store.updateRollover(tx, instituteId, { ...rollover, state: 'stopped', finishedAt: at })
}

async function passBy(ctx: Context, instituteId: number, id: string, studentId: string): Promise<void> {
  await ctx.db.transaction(async tx => {
    const rollover = await lockBehind(tx, { instituteId, id, ids: [studentId] })
    if (rollover === null) return
    const [student] = await store.readBatch(tx, instituteId, rollover, {
      ids: [studentId],
      duesComponent: null,
      isLocked: false,
    })
    if (student !== undefined) await store.updateRollover(tx, instituteId, summariseFailed(rollover, student))
  })
}

/** Null when it was stopped, or another process has done these. */
async function lockBehind(
  tx: Transaction,
  { instituteId, id, ids }: RolloverBatch,
): Promise<store.Rollover | null> {
  const rollover = await store.lockRollover(tx, instituteId, id)
  const isAhead = rollover?.state === 'running' && rollover.seenUntil < (ids[0] ?? '')
  return isAhead ? rollover : null
}

async function finish(ctx: Context, instituteId: number, id: string): Promise<void> {
  await ctx.db.transaction(async tx => {
    const rollover = await store.lockRollover(tx, instituteId, id)
    if (rollover?.state !== 'running') return
    await store.updateRollover(tx, instituteId, { ...rollover, state: 'done', finishedAt: ctx.clock.now() })
  })
}
