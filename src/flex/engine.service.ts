import { assertNever } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Transaction } from '../platform/db.ts'
import { readStudentContexts, type StudentContext } from '../students/student-contexts.service.ts'
import { pullStudents, type Pulled } from '../students/pull.service.ts'
import { adoptSchedule } from './adopt.ts'
import { confirm } from './confirm.ts'
import { Desk } from './desk.ts'
import { claimSteps, holdSteps, nextStepDue, type DueInstalment } from './engine.store.ts'
import type { FlexGround } from './flex-ground.ts'
import { flexEvent, instalmentBlock } from './flex-events.ts'
import { lockPlans, readFiles } from './flex.store.ts'
import {
  afterFetch,
  nextStep,
  TRANSFERRED,
  type AfterFetch,
  type ErpWord,
  type Step,
} from './pipeline.rules.ts'
import { isOpen, type Instalment, type PlanFile } from './plans.rules.ts'
import { presentAll } from './present.service.ts'
import { refit } from './refit.ts'
import { stopPlan } from './stop.ts'
import { MANDATE_ENDED } from './mandate-end.ts'
import { withdrawNotices } from './withdraw.ts'
import { situationOf, type Almanac } from './situations.ts'
import { readAlmanac, takeQuietStep } from './steps.ts'

/**
 * The engine: takes instalments whose moment has come and lets each take its next step. What it decides it decides again
 * under the plan's lock, because the ERP was asked, or a person acted, in between. A thousand instalments cost as many
 * calls to their ERPs and few statements more than one.
 */
const BATCHES_AT_ONCE = 4

/**
 * Lets everything that is due take its step, so many instalments a batch; answers how many did. While one batch is read
 * or written, the calls of the others keep its ERP busy. A batch that fails ends only its own line of batches: what it
 * held is free again after a while.
 */
export async function runSteps(flex: FlexGround, batch: number): Promise<number> {
  let done = 0
  const runner = async (): Promise<void> => {
    for (let taken = batch; taken === batch; done += taken) taken = await runBatch(flex, batch)
  }
  const ends = await Promise.allSettled(Array.from({ length: BATCHES_AT_ONCE }, runner))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return done
}

async function runBatch(flex: FlexGround, limit: number): Promise<number> {
  const due = await claimSteps(flex.db, flex.clock.now(), limit)
  if (due.length === 0) return 0
  const files = await readFiles(flex.db, due)
  const almanac = await readAlmanac(flex)
  const byStep: Record<Step['kind'], DueInstalment[]> = {
    wait: [],
    fetch: [],
    present: [],
    move: [],
    rest: [],
  }
  for (const one of due) byStep[stepOf(files, one, almanac)?.kind ?? 'rest'].push(one)
  await settleSteps(flex, [...byStep.wait, ...byStep.move, ...byStep.rest], almanac)
  // Before the ERPs are waited for: a bank's window closes.
  await presentAll(flex, byStep.present)
  await fetchAll(flex, byStep.fetch, files)
  return due.length
}

export async function nextStepAt({ db }: FlexGround): Promise<Date | null> {
  return nextStepDue(db)
}

function stepOf(files: ReadonlyMap<string, PlanFile>, due: DueInstalment, almanac: Almanac): Step | null {
  const file = files.get(due.planId)
  const instalment = file?.instalments.find(({ id }) => id === due.instalmentId)
  if (file === undefined || instalment === undefined) return null
  return nextStep(situationOf(file, instalment, almanac))
}

/** Steps that need nobody else: waiting, another day, rest. */
async function settleSteps(flex: FlexGround, due: readonly DueInstalment[], almanac: Almanac): Promise<void> {
  if (due.length === 0) return
  await flex.db.transaction(async tx => {
    await lockPlans(tx, due)
    const files = await readFiles(tx, due)
    const desk = new Desk(almanac.now)
    for (const { planId, instalmentId } of due) {
      const file = files.get(planId)
      const instalment = file?.instalments.find(({ id }) => id === instalmentId)
      if (file === undefined || instalment === undefined) continue
      takeQuietStep(desk, file, instalment, nextStep(situationOf(file, instalment, almanac)))
    }
    await desk.write(tx)
  })
}

const HOLD_AGAIN_MS = 40_000

async function fetchAll(
  flex: FlexGround,
  due: readonly DueInstalment[],
  files: ReadonlyMap<string, PlanFile>,
): Promise<void> {
  if (due.length === 0) return
  const students = due.map(one => ({
    instituteId: one.instituteId,
    studentId: files.get(one.planId)?.plan.studentId ?? '',
    reason: 'presentation' as const,
  }))
  // A slow ERP may take longer than we hold them.
  const timer = setInterval(() => void holdSteps(flex.db, due).catch(() => {}), HOLD_AGAIN_MS)
  const pulled = await pullStudents(flex, students).finally(() => clearInterval(timer))
  await flex.db.transaction(tx => applyWords(flex, tx, due, pulled))
}

async function applyWords(
  flex: FlexGround,
  tx: Transaction,
  due: readonly DueInstalment[],
  pulled: readonly Pulled[],
): Promise<void> {
  await lockPlans(tx, due)
  const files = await readFiles(tx, due)
  const keys = [...files.values()].map(({ plan }) => ({
    instituteId: plan.instituteId,
    studentId: plan.studentId,
  }))
  const students = await readStudentContexts(tx, keys)
  const almanac = await readAlmanac(flex, tx)
  const desk = new Desk(almanac.now)
  for (const [index, { planId, instalmentId }] of due.entries()) {
    const file = files.get(planId)
    const student = students.get(file?.plan.studentId ?? '')
    const word = pulled[index]
    if (file === undefined || student === undefined || word === undefined) continue
    applyWord(desk, { file, student, instalmentId, word }, almanac)
  }
  await desk.write(tx)
}

type Scene = { file: PlanFile; student: StudentContext; instalmentId: string; word: Pulled }

function applyWord(desk: Desk, { file, student, instalmentId, word }: Scene, almanac: Almanac): void {
  const find = (): Instalment | undefined => file.instalments.find(({ id }) => id === instalmentId)
  const before = find()
  if (before === undefined) return
  const step = nextStep(situationOf(file, before, almanac))
  if (step.kind !== 'fetch') return takeQuietStep(desk, file, before, step)
  if (word.kind === 'found' && word.isCustomSchedule && word.paymentSchedule !== null)
    adoptSchedule(desk, file, student, { rows: word.paymentSchedule, almanac })
  if (word.kind === 'found' || word.kind === 'not_configured') refit(desk, file, student)
  const instalment = find()
  // Paid otherwise, waived or moved by what the ERP just said.
  if (instalment === undefined || !(instalment.state === 'scheduled' || instalment.state === 'skipped'))
    return
  const situation = situationOf(file, instalment, almanac)
  // The ERP may just have given it another day, and then this is not the moment to announce it.
  const stepNow = nextStep(situation)
  if (stepNow.kind !== 'fetch') return takeQuietStep(desk, file, instalment, stepNow)
  const rail = almanac.rules.rails[file.mandate?.rail ?? 'enach']
  act(desk, { file, student, instalment, almanac }, afterFetch(situation, rail, wordOf(word, student)))
}

/** Dropping a student here says the same as the ERP's word for it, also where no ERP is asked. */
function wordOf(pulled: Pulled, { student }: StudentContext): ErpWord {
  if (student.status === 'dropped') {
    const code = 'student_discontinued'
    return { kind: 'refused', code, actsAs: code, message: 'The student was marked as dropped.' }
  }
  switch (pulled.kind) {
    case 'found':
    case 'not_configured':
      return { kind: 'fresh' }
    case 'refused':
      return pulled
    case 'unavailable':
      return { kind: 'unavailable', message: pulled.message }
    default:
      return assertNever(pulled)
  }
}

type InstalmentScene = {
  file: PlanFile
  student: StudentContext
  instalment: Instalment
  almanac: Almanac
}

function act(desk: Desk, scene: InstalmentScene, decision: AfterFetch): void {
  const { file, instalment } = scene
  switch (decision.kind) {
    case 'confirm':
      return confirm(desk, scene)
    case 'reschedule':
      return solve(desk, scene, decision.presentOn)
    case 'ask_again':
      desk.change(file, instalment, { fetchTries: instalment.fetchTries + 1, nextStepAt: decision.at })
      return
    case 'skip':
      return skip(desk, scene, decision)
    case 'cancel_plan':
      return cancelByErp(desk, scene, decision)
    case 'lock_plan':
      return lockByErp(desk, scene, decision)
    default:
      return assertNever(decision)
  }
}

/** What was in the way is gone: a new day, and the way begins anew; a plan that the ERP had locked goes on. */
function solve(desk: Desk, { file, instalment }: InstalmentScene, presentOn: string): void {
  const change = { presentOn, fetchTries: 0, notifiedAt: null, nextStepAt: desk.now }
  const why = `the ERP's answer allows it again; to be presented on ${presentOn}`
  if (instalment.state === 'skipped') desk.move(file, instalment, 'scheduled', why, change)
  else desk.change(file, instalment, change)
  if (file.plan.state !== 'locked') return
  // Its mandate ended meanwhile: the ERP has nothing against it any more, but there is nothing to debit.
  if (file.mandate?.state !== 'active') {
    desk.note(file, null, 'still locked', "the ERP's answer allows it again, but its mandate has ended")
    desk.changePlan(file, { lockReason: MANDATE_ENDED })
    return
  }
  desk.movePlan(file, 'active', "the ERP's answer allows it again")
  desk.changePlan(file, { lockReason: null })
  for (const other of file.instalments.filter(isOpen))
    if (other.state === 'scheduled' && other.nextStepAt === null)
      desk.change(file, other, { nextStepAt: desk.now })
}

function skip(
  desk: Desk,
  { file, student, instalment }: InstalmentScene,
  { code, message, askAgainAt }: Extract<AfterFetch, { kind: 'skip' }>,
): void {
  const change = { nextStepAt: askAgainAt, fetchTries: 0, notifiedAt: null }
  if (instalment.state === 'skipped') {
    desk.note(file, instalment, 'still skipped', `${code}: ${message}`)
    desk.change(file, instalment, change)
    return
  }
  const skipped = desk.move(file, instalment, 'skipped', `${code}: ${message}`, change)
  desk.tell(
    flexEvent('flex.instalment.skipped', file, {
      student,
      at: desk.now,
      instalment: instalmentBlock(skipped),
      reason: { code, category: 'erp', message },
      next_try_on: dayOf(askAgainAt),
    }),
  )
}

function cancelByErp(
  desk: Desk,
  { file, student }: InstalmentScene,
  { code, message }: Extract<AfterFetch, { kind: 'cancel_plan' }>,
): void {
  stopPlan(desk, file, `${code}: ${message}`)
  const reason = { code, category: 'erp' as const, message }
  desk.tell(flexEvent('flex.subscription.cancelled', file, { student, at: desk.now, reason }))
}

function lockByErp(
  desk: Desk,
  { file, student, instalment }: InstalmentScene,
  { code, message, askAgainAt }: Extract<AfterFetch, { kind: 'lock_plan' }>,
): void {
  desk.change(file, instalment, { nextStepAt: askAgainAt })
  if (file.plan.state === 'locked') return
  withdrawNotices(desk, { file, student }, 'the plan is locked')
  desk.movePlan(file, 'locked', `${code}: ${message}`)
  desk.changePlan(file, { lockReason: TRANSFERRED })
}
