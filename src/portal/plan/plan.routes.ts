import type { FastifyInstance, FastifyReply } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import {
  readPlan,
  readPlansOf,
  cancelPlan,
  createPlan,
  holdPlan,
  resumePlan,
} from '../../flex/plans/plans.service.ts'
import { stopChargeOf } from '../../flex/plans/charges.service.ts'
import type { Holder, LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { readDebitRules } from '../../flex/settings/settings.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { assert } from '../../platform/assert.ts'
import { BursarError } from '../../platform/errors.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { formField, sendPage } from '../layout.ts'
import { CHILD, frameOf, withChild, type ChildVisit } from '../parents/access.ts'
import { readChildren } from '../parents/children.ts'
import { findPayable } from '../parents/choose.routes.ts'
import { actsOf, describeConfirm, describePlan, type PlanAct, type PlanPageData } from './plan-page.ts'

const PLAN = `${CHILD}/plan`
const ACTS = { hold: holdPlan, resume: resumePlan, cancel: cancelPlan } as const

/** The signed-in pages of a child's instalments: the schedule, pausing and cancelling. */
export function planPages(app: FastifyInstance, ctx: FlexContext): void {
  app.get(
    PLAN,
    withChild(ctx, visit => showPlan(ctx, visit)),
  )
  app.post(
    `${PLAN}/start`,
    withChild(ctx, visit => startPlan(ctx, visit)),
  )
  app.get(
    `${PLAN}/start`,
    withChild(ctx, async visit => toPlan(visit)),
  )
  app.post(
    `${PLAN}/stop-charge`,
    withChild(ctx, visit => stopCharge(ctx, visit)),
  )
  app.get(
    `${PLAN}/stop-charge`,
    withChild(ctx, async visit => toPlan(visit)),
  )
  for (const act of ['hold', 'resume', 'cancel'] as const) {
    app.get(
      `${PLAN}/${act}`,
      withChild(ctx, visit => showConfirm(ctx, visit, act)),
    )
    app.post(
      `${PLAN}/${act}`,
      withChild(ctx, visit => perform(ctx, visit, act)),
    )
  }
}

function toPlan({ studentId, reply }: ChildVisit): FastifyReply {
  return reply.redirect(`${pathOfStudent(studentId)}/plan`, 303)
}

async function readPageData(
  ctx: FlexContext,
  { session, studentId, language }: ChildVisit,
): Promise<PlanPageData> {
  const { institute } = session
  const [[child], debitRules] = await Promise.all([
    readChildren(ctx, institute.id, [studentId]),
    readDebitRules(ctx),
  ])
  assert(child !== undefined, `the student ${studentId} vanished`)
  const { dues, plan: file } = child
  const branch = { instituteId: institute.id, collectorCode: dues.context.student.collectorCode }
  return {
    institute,
    dues,
    isOnTheWay: child.onTheWay.length > 0,
    file,
    heldBy: file?.plan.isHeld === true ? await whoHolds(ctx, institute, file) : 'institute',
    payable: await findPayable(ctx, institute.id, child),
    takesMandates: (await ctx.accounts.accountFor(branch, 'mandates')) !== null,
    noticeHours: debitRules.rules.noticeMinutes / 60,
    language,
  }
}

/** Read from the plan's history where the plan does not say. */
async function whoHolds(ctx: FlexContext, institute: Institute, { plan }: LoadedPlan): Promise<Holder> {
  if (plan.heldBy !== null) return plan.heldBy
  const { decisions } = await readPlan(ctx, institute, plan.id)
  const held = decisions.find(decision => decision.what === 'held')
  return held?.why === 'by the payer' ? 'payer' : 'institute'
}

async function showPlan(ctx: FlexContext, visit: ChildVisit): Promise<FastifyReply> {
  const { texts, language, reply } = visit
  const { title, data } = describePlan(await readPageData(ctx, visit), texts)
  return sendPage(reply, {
    template: 'parents/plan',
    title,
    language,
    data: { ...frameOf(visit, ctx), ...data },
  })
}

/** Redirects to the set-up page with the schedule; an existing draft is reused. */
async function startPlan(ctx: FlexContext, visit: ChildVisit): Promise<FastifyReply> {
  const { session, studentId, reply } = visit
  const { institute } = session
  const known = (await readPlansOf(ctx, institute.id, [studentId])).get(studentId)
  if (known?.plan.state === 'draft') return reply.redirect(`/flex/${institute.code}/${known.plan.id}`, 303)
  return toPlanOnConflict(visit, async () => {
    const act = { instituteId: institute.id }
    const { plan } = await createPlan(ctx, act, institute, { studentId, rows: null, isForFamily: true })
    return `/flex/${institute.code}/${plan.id}`
  })
}

/** Stops a single charge of this child's plan; one that is over by now changes nothing. */
async function stopCharge(ctx: FlexContext, visit: ChildVisit): Promise<FastifyReply> {
  const { request, session, studentId } = visit
  const instituteId = session.institute.id
  const file = (await readPlansOf(ctx, instituteId, [studentId])).get(studentId)
  const charge = file?.instalments.find(({ id }) => id === formField(request, 'charge'))
  if (file === undefined || charge === undefined) return toPlan(visit)
  return toPlanOnConflict(visit, async () => {
    await stopChargeOf(ctx, { instituteId, planId: file.plan.id }, charge.id)
    return `${pathOfStudent(studentId)}/plan`
  })
}

async function showConfirm(ctx: FlexContext, visit: ChildVisit, act: PlanAct): Promise<FastifyReply> {
  const { texts, language, reply } = visit
  const pageData = await readPageData(ctx, visit)
  const { file } = pageData
  if (file === null || !actsOf(pageData).includes(act)) return toPlan(visit)
  const { title, data } = describeConfirm(act, { ...pageData, file }, texts)
  return sendPage(reply, {
    template: 'parents/confirm',
    title,
    language,
    data: { ...frameOf(visit, ctx), ...data },
  })
}

async function perform(ctx: FlexContext, visit: ChildVisit, act: PlanAct): Promise<FastifyReply> {
  const { request, session, studentId } = visit
  const pageData = await readPageData(ctx, visit)
  const planId = pageData.file?.plan.id
  // Act only on the plan that was confirmed, not on one created in the meantime.
  if (planId === undefined || planId !== formField(request, 'plan_id') || !actsOf(pageData).includes(act))
    return toPlan(visit)
  const instituteId = session.institute.id
  return toPlanOnConflict(visit, async () => {
    await ACTS[act](ctx, { instituteId }, { instituteId, planId }, 'payer')
    return `${pathOfStudent(studentId)}/plan`
  })
}

/** After a concurrent change (another tab, the institute) the page shows the current state. */
async function toPlanOnConflict(visit: ChildVisit, act: () => Promise<string>): Promise<FastifyReply> {
  try {
    return await visit.reply.redirect(await act(), 303)
  } catch (error) {
    const isExpected = error instanceof BursarError && ['HUE00000', 'HUE00002'].includes(error.code)
    if (!isExpected) throw error
    return toPlan(visit)
  }
}
