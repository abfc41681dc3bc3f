import type { Context } from '../../platform/context.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { Desk } from './plan-changes.ts'
import { listLivePlans, lockPlans, readFiles, type PlanKey } from './plans.store.ts'
import type { LoadedPlan } from '../rules/plan.rules.ts'
import { isFitted, refit } from './rebalance.ts'

/** Everything that fitting asks for. */
type Fitting = Pick<Context, 'db' | 'clock'>

const LIVE: readonly string[] = ['setup', 'active', 'locked']

/**
 * Plans follow money that moves elsewhere: a payment at the counter, another fee, what a parent paid online. Whoever reads
 * a plan has it fitted first, and the engine looks through all of them again and again, so that an announcement is
 * withdrawn and a plan closed without waiting for the day of its next instalment.
 */
export async function readFitted(ctx: Fitting, keys: readonly PlanKey[]): Promise<Map<string, LoadedPlan>> {
  const files = await readFiles(ctx.db, keys)
  const unfitted = await findUnfitted(ctx, files)
  if (unfitted.length === 0) return files
  for (const key of unfitted) await fitPlan(ctx, key)
  return readFiles(ctx.db, keys)
}

/** Reads only: nearly always there is none. */
async function findUnfitted({ db }: Fitting, files: ReadonlyMap<string, LoadedPlan>): Promise<PlanKey[]> {
  const plans = [...files.values()].filter(({ plan }) => LIVE.includes(plan.state))
  if (plans.length === 0) return []
  const students = await readStudentContexts(
    db,
    plans.map(({ plan }) => plan),
  )
  return plans.flatMap(file => {
    const { instituteId, id: planId, studentId } = file.plan
    const student = students.get(studentId)
    return student === undefined || isFitted(file, student) ? [] : [{ instituteId, planId }]
  })
}

async function fitPlan({ db, clock }: Fitting, key: PlanKey): Promise<void> {
  await db.transaction(async tx => {
    await lockPlans(tx, [key])
    const file = (await readFiles(tx, [key])).get(key.planId)
    if (file === undefined || !LIVE.includes(file.plan.state)) return
    const student = (await readStudentContexts(tx, [file.plan])).get(file.plan.studentId)
    if (student === undefined) return
    const desk = new Desk(clock.now())
    refit(desk, file, student)
    await desk.write(tx)
  })
}

const ROUND = 500
const ROUND_EVERY_MS = 5_000

/** Where the look through all plans of a database stands, in real time. */
const rounds = new WeakMap<object, { at: number; after: PlanKey | null }>()

/** Looks at the next few; what fails here fails again at its next step, and is told of there. Returns how many were fitted. */
export async function fitSome(ctx: Fitting): Promise<number> {
  const last = rounds.get(ctx.db) ?? { at: -Infinity, after: null }
  const at = performance.now()
  if (at - last.at < ROUND_EVERY_MS) return 0
  rounds.set(ctx.db, { ...last, at })
  const keys = await listLivePlans(ctx.db, last.after, ROUND)
  rounds.set(ctx.db, { at, after: keys.length < ROUND ? null : (keys.at(-1) ?? null) })
  const unfitted = await findUnfitted(ctx, await readFiles(ctx.db, keys))
  for (const key of unfitted) await fitPlan(ctx, key).catch(() => {})
  return unfitted.length
}
