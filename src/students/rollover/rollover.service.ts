import { joinCatalogue, checkCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { feeProblems } from '../../fees/fees.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import { badField, badFields, conflict, notFound, type FieldProblem } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { apply, contextOf, judge, summarise } from './roll-batch.service.ts'
import { NO_COUNTS, type RolloverOptions } from './rollover.rules.ts'
import * as store from './rollover.store.ts'

export type { Rollover, RolloverProblem } from './rollover.store.ts'

export type WantedRollover = store.Years & RolloverOptions

const BATCH = 200

/** Starts one; a background job does the work, batch by batch. A preview is answered at once and changes nothing. */
export async function startRollover(
  ctx: Context,
  command: Command<store.Rollover>,
  institute: Institute,
  wanted: WantedRollover & { isPreview: boolean },
): Promise<store.Rollover> {
  const { isPreview, fromYearStart, fromYearEnd, toYearStart, toYearEnd, ...options } = wanted
  const problems = optionProblems(wanted)
  if (problems.length > 0) throw badFields(problems)
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
    seenUntil: '',
    counts: NO_COUNTS,
    problems: [],
    createdAt: now,
    finishedAt: null,
  }
  if (isPreview) {
    const seen = await preview(ctx, institute, rollover)
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
  rollover: store.Rollover,
): Promise<store.Rollover> {
  for (let seen = rollover; ;) {
    const batch = await readBatch(ctx.db, institute.id, seen, false)
    if (batch.length === 0) return { ...seen, state: 'done' }
    const context = contextOf(institute, ctx.clock.now())
    seen = summarise(seen, await judge(ctx.db, context, seen, batch, { isLocked: false }))
  }
}

/** One batch of the oldest that is under way; returns how many students it was, at least 1 while there are more. */
export async function advanceRollovers(ctx: Context): Promise<number> {
  return ctx.db.transaction(async tx => {
    const found = await store.lockRunning(tx)
    if (found === null) return 0
    const { instituteId, ...rollover } = found
    const [institute] = await getInstitutesById(ctx, [instituteId])
    if (institute === undefined) throw new Error('an institute vanished')
    const now = ctx.clock.now()
    const batch = await readBatch(tx, instituteId, rollover, true)
    if (batch.length === 0) {
      await store.updateRollover(tx, instituteId, { ...rollover, state: 'done', finishedAt: now })
      return 1
    }
    const context = contextOf(institute, now)
    const judged = await judge(tx, context, rollover, batch, { isLocked: true })
    await apply(tx, context, rollover, judged)
    await store.updateRollover(tx, instituteId, summarise(rollover, judged))
    return batch.length
  })
}

function readBatch(db: Queryable, instituteId: number, rollover: store.Rollover, isLocked: boolean) {
  const { seenUntil: after } = rollover
  return store.readBatch(db, instituteId, rollover, { after, limit: BATCH, isLocked })
}
