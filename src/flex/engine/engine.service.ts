import { assertNever } from '../../platform/assert.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import { pullStudents, type Pulled } from '../../erp/pull/pull.service.ts'
import { Desk } from '../plans/plan-changes.ts'
import { claimSteps, holdSteps, nextStepDue, setAside, type DueInstalment } from './engine.store.ts'
import { actOnWord } from './erp-decision.ts'
import { followErp } from '../plans/follow-erp.ts'
import type { FlexContext } from '../context.ts'
import { insertDecisions, lockPlans, readFiles } from '../plans/plans.store.ts'
import { bisectOnFailure } from '../../platform/bisect-on-failure.ts'
import type { Run } from '../../platform/jobs/job.ts'
import { processChunks } from '../../platform/jobs/process-due.ts'
import { afterFetch, nextStep, type ErpWord, type Step } from '../rules/debit.rules.ts'
import type { Instalment, Mandate, LoadedPlan } from '../rules/plan.rules.ts'
import { presentAll } from './present.service.ts'
import { cancelAtProvider } from '../mandates/provider-cancel.ts'
import { debitContextOf, type DebitRules } from '../rules/debit.rules.ts'
import { readDebitRules } from '../settings/debit-rules.service.ts'
import { takeQuietStep } from './steps.ts'

/**
 * The engine: takes instalments whose moment has come and lets each take its next step. What it decides it decides again
 * under the plan's lock, because the ERP was asked, or a person acted, in between. A thousand instalments cost as many
 * calls to their ERPs and few statements more than one.
 * While one chunk is read or written, the calls of others keep its ERP busy.
 */
export function runSteps(flex: FlexContext): Run {
  return processChunks(
    limit => claimSteps(flex.db, flex.clock.now(), limit),
    due => takeSteps(flex, due),
  )
}

async function takeSteps(flex: FlexContext, due: readonly DueInstalment[]): Promise<void> {
  const files = await readFiles(flex.db, due)
  const debitRules = await readDebitRules(flex)
  const byStep: Record<Step['kind'], DueInstalment[]> = {
    wait: [],
    fetch: [],
    present: [],
    move: [],
    rest: [],
  }
  for (const one of due) byStep[stepOf(files, one, debitRules)?.kind ?? 'rest'].push(one)
  const failures: unknown[] = []
  const each = (some: readonly DueInstalment[], act: (part: readonly DueInstalment[]) => Promise<void>) =>
    bisectOnFailure(some, act, async (one, error) => {
      failures.push(error)
      await putAside(flex, one)
    })
  const quiet = [...byStep.wait, ...byStep.move, ...byStep.rest]
  await each(quiet, some => settleSteps(flex, some, debitRules))
  // Before the ERPs are waited for: a bank's window closes.
  await each(byStep.present, some => presentAll(flex, some))
  await each(byStep.fetch, some => fetchAll(flex, some, files, each))
  // Everything else is done; now whoever runs this is to hear of it.
  if (failures.length > 0) throw failures[0]
}

const ASIDE_MS = 60 * 60_000

/** It could not be written, which is our bug: the others go on, a person sees it, and it is tried again in an hour. */
async function putAside({ db, clock }: FlexContext, one: DueInstalment): Promise<void> {
  const now = clock.now()
  await db.transaction(async tx => {
    await lockPlans(tx, [one])
    await setAside(tx, one, new Date(now.getTime() + ASIDE_MS))
    const why = 'its next step failed on our side; tried again in an hour'
    await insertDecisions(tx, [{ ...one, decidedAt: now, what: 'set aside', why }])
  })
}

export async function nextStepAt({ db }: FlexContext): Promise<Date | null> {
  return nextStepDue(db)
}

function stepOf(
  files: ReadonlyMap<string, LoadedPlan>,
  due: DueInstalment,
  debitRules: DebitRules,
): Step | null {
  const file = files.get(due.planId)
  const instalment = file?.instalments.find(({ id }) => id === due.instalmentId)
  if (file === undefined || instalment === undefined) return null
  return nextStep(debitContextOf(file, instalment, debitRules))
}

/** Steps that need nobody else: waiting, another day, rest. */
async function settleSteps(
  flex: FlexContext,
  due: readonly DueInstalment[],
  debitRules: DebitRules,
): Promise<void> {
  await flex.db.transaction(async tx => {
    await lockPlans(tx, due)
    const files = await readFiles(tx, due)
    const desk = new Desk(debitRules.now)
    for (const { planId, instalmentId } of due) {
      const file = files.get(planId)
      const instalment = file?.instalments.find(({ id }) => id === instalmentId)
      if (file === undefined || instalment === undefined) continue
      takeQuietStep(desk, file, instalment, nextStep(debitContextOf(file, instalment, debitRules)))
    }
    await desk.write(tx)
  })
}

const HOLD_AGAIN_MS = 40_000

type Each = (
  some: readonly DueInstalment[],
  act: (part: readonly DueInstalment[]) => Promise<void>,
) => Promise<void>

async function fetchAll(
  flex: FlexContext,
  due: readonly DueInstalment[],
  files: ReadonlyMap<string, LoadedPlan>,
  each: Each,
): Promise<void> {
  const students = due.map(one => ({
    instituteId: one.instituteId,
    studentId: files.get(one.planId)?.plan.studentId ?? '',
    reason: 'presentation' as const,
  }))
  // A slow ERP may take longer than we hold them.
  const timer = setInterval(() => void holdSteps(flex.db, due).catch(() => {}), HOLD_AGAIN_MS)
  const pulled = await pullStudents(flex, students).finally(() => clearInterval(timer))
  const words = new Map(due.map((one, index) => [one, pulled[index]]))
  // The words are here: who cannot be written is not asked about again.
  await each(due, async some => {
    const ended = await flex.db.transaction(tx => applyWords(flex, tx, some, words))
    for (const mandate of ended) await cancelAtProvider(flex, mandate)
  })
}

/** Answers the mandates that ended with their plans, for the bank to be told. */
async function applyWords(
  flex: FlexContext,
  tx: Transaction,
  due: readonly DueInstalment[],
  words: ReadonlyMap<DueInstalment, Pulled | undefined>,
): Promise<Mandate[]> {
  await lockPlans(tx, due)
  const files = await readFiles(tx, due)
  const keys = [...files.values()].map(({ plan }) => ({
    instituteId: plan.instituteId,
    studentId: plan.studentId,
  }))
  const students = await readStudentContexts(tx, keys)
  const debitRules = await readDebitRules(flex, tx)
  const desk = new Desk(debitRules.now)
  const ended: Mandate[] = []
  for (const one of due) {
    const file = files.get(one.planId)
    const student = students.get(file?.plan.studentId ?? '')
    const word = words.get(one)
    if (file === undefined || student === undefined || word === undefined) continue
    const { state } = file.plan
    applyWord(desk, { file, student, instalmentId: one.instalmentId, word }, debitRules)
    if (state !== 'cancelled' && file.plan.state === 'cancelled' && file.mandate !== null)
      ended.push(file.mandate)
  }
  await desk.write(tx)
  return ended
}

type Scene = { file: LoadedPlan; student: StudentContext; instalmentId: string; word: Pulled }

function applyWord(desk: Desk, { file, student, instalmentId, word }: Scene, debitRules: DebitRules): void {
  const find = (): Instalment | undefined => file.instalments.find(({ id }) => id === instalmentId)
  const before = find()
  if (before === undefined) return
  const step = nextStep(debitContextOf(file, before, debitRules))
  if (step.kind !== 'fetch') return takeQuietStep(desk, file, before, step)
  followErp(desk, { file, student }, { word, debitRules })
  const instalment = find()
  // Paid otherwise, waived or moved by what the ERP just said.
  if (instalment === undefined || !(instalment.state === 'scheduled' || instalment.state === 'skipped'))
    return
  const context = debitContextOf(file, instalment, debitRules)
  // The ERP may just have given it another day, and then this is not the moment to announce it.
  const stepNow = nextStep(context)
  if (stepNow.kind !== 'fetch') return takeQuietStep(desk, file, instalment, stepNow)
  const rail = debitRules.rules.rails[file.mandate?.rail ?? 'enach']
  actOnWord(desk, { file, student, instalment, debitRules }, afterFetch(context, rail, wordOf(word, student)))
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
