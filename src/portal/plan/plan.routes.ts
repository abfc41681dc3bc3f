import type { FastifyInstance, FastifyReply } from 'fastify'
import { getDues } from '../../dues/dues.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { readPlan } from '../../flex/plans/plan-history.service.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { cancelPlan, createPlan, holdPlan, resumePlan, type Asker } from '../../flex/plans/plans.service.ts'
import { readDebitRules } from '../../flex/settings/debit-rules.service.ts'
import { readPlansOf } from '../../flex/plans/student-plans.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { BursarError } from '../../platform/errors.ts'
import { pathOfStudent } from '../entry/entry.rules.ts'
import { formField, sendPage } from '../layout.ts'
import { CHILD, frameOf, withChild, type ChildVisit } from '../parents/access.ts'
import { actsOf, describeConfirm, describePlan, type PlanAct, type PlanSceneOfParent } from './plan-page.ts'

const PLAN = `${CHILD}/plan`
const hidden = { schema: { hide: true } }
const ACTS = { hold: holdPlan, resume: resumePlan, cancel: cancelPlan } as const

/** A child's instalments: their calendar, and pausing or stopping them. */
export function planPages(app: FastifyInstance, flex: FlexContext): void {
  app.get(
    PLAN,
    hidden,
    withChild(flex, visit => showPlan(flex, visit)),
  )
  app.post(
    `${PLAN}/start`,
    hidden,
    withChild(flex, visit => startPlan(flex, visit)),
  )
  app.get(
    `${PLAN}/start`,
    hidden,
    withChild(flex, async visit => toPlan(visit)),
  )
  for (const act of ['hold', 'resume', 'cancel'] as const) {
    app.get(
      `${PLAN}/${act}`,
      hidden,
      withChild(flex, visit => askFirst(flex, visit, act)),
    )
    app.post(
      `${PLAN}/${act}`,
      hidden,
      withChild(flex, visit => perform(flex, visit, act)),
    )
  }
}

function toPlan({ studentId, reply }: ChildVisit): FastifyReply {
  return reply.redirect(`${pathOfStudent(studentId)}/plan`, 303)
}

async function sceneOf(
  flex: FlexContext,
  { session, studentId, language }: ChildVisit,
): Promise<PlanSceneOfParent> {
  const { institute } = session
  const [dues, plans, debitRules] = await Promise.all([
    getDues(flex, { instituteId: institute.id, studentId }),
    readPlansOf(flex, institute.id, [studentId]),
    readDebitRules(flex),
  ])
  const file = plans.get(studentId) ?? null
  const provider = flex.currentProvider
  return {
    institute,
    dues,
    file,
    heldBy: file?.plan.isHeld === true ? await whoHolds(flex, institute, file) : 'institute',
    takesMandates: provider !== null && flex.providers.get(provider)?.mandates !== undefined,
    noticeHours: debitRules.rules.noticeMinutes / 60,
    language,
  }
}

/** As the plan's own history has it. */
async function whoHolds(flex: FlexContext, institute: Institute, { plan }: LoadedPlan): Promise<Asker> {
  const { decisions } = await readPlan(flex, institute, plan.id)
  const held = decisions.find(decision => decision.what === 'held')
  return held?.why === 'by the payer' ? 'payer' : 'institute'
}

async function showPlan(flex: FlexContext, visit: ChildVisit): Promise<FastifyReply> {
  const { words, language, reply } = visit
  const { title, data } = describePlan(await sceneOf(flex, visit), words)
  return sendPage(reply, {
    template: 'parents-plan',
    title,
    language,
    data: { ...frameOf(visit, flex), ...data },
  })
}

/** On to the set-up page, where the schedule is shown; a draft that is there already is not replaced. */
async function startPlan(flex: FlexContext, visit: ChildVisit): Promise<FastifyReply> {
  const { session, studentId, reply } = visit
  const { institute } = session
  const known = (await readPlansOf(flex, institute.id, [studentId])).get(studentId)
  if (known?.plan.state === 'draft') return reply.redirect(`/flex/${institute.code}/${known.plan.id}`, 303)
  return toPlanOnConflict(visit, async () => {
    const act = { instituteId: institute.id }
    const { plan } = await createPlan(flex, act, institute, { studentId, rows: null })
    return `/flex/${institute.code}/${plan.id}`
  })
}

async function askFirst(flex: FlexContext, visit: ChildVisit, act: PlanAct): Promise<FastifyReply> {
  const { words, language, reply } = visit
  const scene = await sceneOf(flex, visit)
  const { file } = scene
  if (file === null || !actsOf(scene).includes(act)) return toPlan(visit)
  const { title, data } = describeConfirm(act, { ...scene, file }, words)
  return sendPage(reply, {
    template: 'parents-confirm',
    title,
    language,
    data: { ...frameOf(visit, flex), ...data },
  })
}

async function perform(flex: FlexContext, visit: ChildVisit, act: PlanAct): Promise<FastifyReply> {
  const { request, session, studentId } = visit
  const scene = await sceneOf(flex, visit)
  const planId = scene.file?.plan.id
  // What was confirmed is done, or nothing: not to another plan that was made meanwhile.
  if (planId === undefined || planId !== formField(request, 'plan_id') || !actsOf(scene).includes(act))
    return toPlan(visit)
  const instituteId = session.institute.id
  return toPlanOnConflict(visit, async () => {
    await ACTS[act](flex, { instituteId }, { instituteId, planId }, 'payer')
    return `${pathOfStudent(studentId)}/plan`
  })
}

/** What happened meanwhile, in another tab or by the institute, the page says. */
async function toPlanOnConflict(visit: ChildVisit, act: () => Promise<string>): Promise<FastifyReply> {
  try {
    return await visit.reply.redirect(await act(), 303)
  } catch (error) {
    const isExpected = error instanceof BursarError && ['HUE00000', 'HUE00002'].includes(error.code)
    if (!isExpected) throw error
    return toPlan(visit)
  }
}
