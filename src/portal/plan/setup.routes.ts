import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import { capFor, mandateAccount, railsFor, startMandate } from '../../flex/mandates/setup.service.ts'
import {
  downpaymentOrder,
  openSetup,
  chooseLength,
  listLengths,
} from '../../flex/plans/open-setup.service.ts'
import { stopChargeOf } from '../../flex/plans/charges.service.ts'
import { getPlan } from '../../flex/plans/plans.service.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import type { Rail } from '../../flex/rules/rails.rules.ts'
import { getFlexSettings, readDebitRules } from '../../flex/settings/settings.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import { listPayments } from '../../payments/payments.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { pathOf } from '../sign-in/sign-in.rules.ts'
import { canAgree, describeSetup, describeObstacle } from './setup-page.ts'
import { downOf, fingerprint, type SetupProblem, type SetupPageData } from './page-parts.ts'
import { formField, formFields, languageOf, sendPage, sendWrongLink } from '../layout.ts'
import { hasParentSession } from '../parents/access.ts'
import { textsIn } from '../texts/texts.ts'

const URL_PATH = '/flex/:institute/:plan_id'
const RAILS: readonly Rail[] = ['upi_autopay', 'enach']
const PROBLEMS: readonly SetupProblem[] = ['consent', 'changed']

type PlanSetupSubject = { institute: Institute; file: LoadedPlan; path: string }

/** The page at a plan's `redirect_url`: the schedule, the consent, and later the status. */
export function planSetupPages(app: FastifyInstance, ctx: FlexContext): void {
  app.get(
    URL_PATH,
    withPlan(ctx, (found, request, reply) => show(ctx, found, request, reply)),
  )
  app.post(
    `${URL_PATH}/mandate`,
    withPlan(ctx, (found, request, reply) => agree(ctx, found, request, reply)),
  )
  app.post(
    `${URL_PATH}/downpayment`,
    withPlan(ctx, (found, _request, reply) => payDownpayment(ctx, found, reply)),
  )
  app.post(
    `${URL_PATH}/length`,
    withPlan(ctx, (found, request, reply) => takeLength(ctx, found, request, reply)),
  )
  app.post(
    `${URL_PATH}/stop`,
    withPlan(ctx, (found, request, reply) => stopCharge(ctx, found, request, reply)),
  )
  // The return from the bank or the checkout, and GETs of POST addresses (reload, back button).
  const toPage = withPlan(ctx, async ({ path }, _request, reply) => reply.redirect(path, 303))
  for (const step of ['return', 'mandate', 'downpayment', 'length', 'stop'])
    app.get(`${URL_PATH}/${step}`, toPage)
}

type Obstacle = Parameters<typeof describeObstacle>[1]
type OtherYear = { kind: 'other_year'; planId: string }

/** The plan to show, or the reason why it cannot be set up. */
async function look(
  ctx: FlexContext,
  found: PlanSetupSubject,
): Promise<{ file: LoadedPlan; studentName: string; obstacle: Obstacle | OtherYear | null }> {
  const { institute, file } = found
  const { instituteId, studentId, state } = file.plan
  const student = (await readStudentContexts(ctx.db, [{ instituteId, studentId }])).get(studentId)
  const stored = { file, studentName: student?.student.fullname ?? '' }
  // While a payment or an approval is pending, the page reloads every few seconds and there is nothing to agree to:
  // do not ask the ERP on every reload.
  const isUnderWay =
    file.mandate?.state === 'pending' || (downOf(file).isUnpaid && downOf(file).orderId !== null)
  if (state !== 'draft' || isUnderWay) return { ...stored, obstacle: null }
  try {
    const setup = await openSetup(ctx, institute, file.plan.id)
    if (setup.kind !== 'ready') return { ...stored, obstacle: setup }
    const { loaded, student } = setup
    return { file: loaded, studentName: student.student.fullname, obstacle: null }
  } catch (error) {
    // The ERP's response leaves nothing to schedule, or its schedule does not add up.
    const isUnsuitable = error instanceof BursarError && ['HUE00000', 'HUE00002'].includes(error.code)
    if (!isUnsuitable) throw error
    return { ...stored, obstacle: { kind: 'unsuitable' } }
  }
}

async function readPageData(
  ctx: FlexContext,
  { institute, path }: PlanSetupSubject,
  seen: { file: LoadedPlan; studentName: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SetupPageData> {
  const { file } = seen
  const query = request.query as Record<string, unknown>
  const debitRules = await readDebitRules(ctx)
  const hasDebits = file.instalments.some(one => !one.isDownpayment)
  const rails = hasDebits ? await railsFor(ctx, file) : []
  const account = await mandateAccount(ctx, file)
  const { orderId, isUnpaid } = downOf(file)
  const payments = isUnpaid && orderId !== null ? await listPayments(ctx, institute.id, orderId) : []
  return {
    ...seen,
    institute,
    offers: rails.map(rail => ({
      rail,
      capPaise: capFor(file, debitRules.rules.rails[rail].limitPaise),
      registrationPaise: account?.port.mandates?.registrationPaise?.[rail],
    })),
    debitRules,
    downPayment: payments[0] ?? null,
    takesMandates: account !== null,
    lengths: await listLengths(ctx, institute, file),
    chargeComponents: (await getFlexSettings(ctx, institute)).chargeComponents,
    problem: PROBLEMS.find(one => one === query['problem']),
    chosen: RAILS.find(one => one === query['rail']),
    isChoosing: query['choose'] === '1',
    isRefreshPaused: query['still'] === '1',
    isSandbox: ctx.mode === 'sandbox',
    path,
    language: languageOf(request, reply, institute),
  }
}

async function show(
  ctx: FlexContext,
  found: PlanSetupSubject,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { obstacle, ...seen } = await look(ctx, found)
  if (obstacle?.kind === 'other_year')
    return reply.redirect(`/flex/${found.institute.code}/${obstacle.planId}`, 303)
  const pageData = await readPageData(ctx, found, seen, request, reply)
  const page = obstacle === null ? describeSetup(pageData) : describeObstacle(pageData, obstacle)
  const { studentId } = seen.file.plan
  const isParent = await hasParentSession(ctx, request, {
    instituteId: found.institute.id,
    studentIds: [studentId],
  })
  const back = isParent
    ? { url: pathOf(studentId, 'flex'), text: textsIn(pageData.language).parents.plan.back }
    : null
  return sendPage(reply, {
    template: 'plan-setup',
    language: pageData.language,
    ...page,
    data: { ...page.data, back },
  })
}

/** A repeated POST (second tab, double click, back button) leads to the same mandate. */
async function agree(
  ctx: FlexContext,
  found: PlanSetupSubject,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path, institute } = found
  const { obstacle, ...seen } = await look(ctx, found)
  const { file } = seen
  const pageData = await readPageData(ctx, found, seen, request, reply)
  if (obstacle !== null || !canAgree(pageData)) return reply.redirect(path, 303)
  const begun = file.mandate?.state === 'pending' ? file.mandate.rail : undefined
  const goesOn = begun !== undefined && formField(request, 'go_on') === 'yes'
  const rail = goesOn ? begun : pageData.offers.find(one => one.rail === formField(request, 'rail'))?.rail
  if (rail === undefined) return reply.redirect(path, 303)
  const problem = goesOn ? undefined : problemOf(request, file)
  if (problem !== undefined) {
    const query = new URLSearchParams({ problem, rail, ...(begun === undefined ? {} : { choose: '1' }) })
    return reply.redirect(`${path}?${query.toString()}${problem === 'consent' ? '#agree' : ''}`, 303)
  }
  const ticked = new Set(formFields(request, 'charge'))
  const allowed = pageData.chargeComponents.filter(one => ticked.has(one))
  const key = { instituteId: institute.id, planId: file.plan.id }
  const returnUrl = `${ctx.publicUrl}${path}/return`
  return toPageOnConflict(path, reply, async () =>
    startMandate(ctx, key, {
      rail,
      language: pageData.language,
      returnUrl,
      ...(goesOn ? {} : { chargeComponents: allowed }),
      consent: [
        `the payer agreed to the schedule ${fingerprint(file)}, shown in ${pageData.language}`,
        ...(allowed.length === 0 ? [] : [`and to single charges of ${allowed.join(', ')}`]),
      ].join(', '),
    }),
  )
}

/** Consent is valid only for the dates and amounts that were on the page. */
function problemOf(request: FastifyRequest, file: LoadedPlan): SetupProblem | undefined {
  if (formField(request, 'seen') !== fingerprint(file)) return 'changed'
  return formField(request, 'consent') === 'yes' ? undefined : 'consent'
}

async function payDownpayment(
  ctx: FlexContext,
  found: PlanSetupSubject,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { institute, path } = found
  const { obstacle, file } = await look(ctx, found)
  if (obstacle !== null || file.plan.state !== 'draft') return reply.redirect(path, 303)
  const key = { instituteId: institute.id, planId: file.plan.id }
  return toPageOnConflict(path, reply, async () => {
    const orderId = await downpaymentOrder(ctx, key, `${ctx.publicUrl}${path}/return`)
    return orderId === null ? path : `/pay/${institute.code}/${orderId}`
  })
}

/** The link of the notice leads to the page; its button stops the charge. A second tap finds it stopped. */
async function stopCharge(
  ctx: FlexContext,
  { institute, file, path }: PlanSetupSubject,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = { instituteId: institute.id, planId: file.plan.id }
  return toPageOnConflict(path, reply, async () => {
    await stopChargeOf(ctx, key, formField(request, 'charge') ?? '')
    return path
  })
}

/** One that is not offered any more changes nothing: the page shows what is. */
async function takeLength(
  ctx: FlexContext,
  { institute, file, path }: PlanSetupSubject,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const text = formField(request, 'instalments') ?? ''
  const instalments = /^\d{1,2}$/.test(text) ? Number(text) : 0
  return toPageOnConflict(path, reply, async () => {
    await chooseLength(ctx, institute, file.plan.id, instalments)
    return path
  })
}

/** After a concurrent change (another tab, the institute) the page shows the current state. */
async function toPageOnConflict(
  path: string,
  reply: FastifyReply,
  act: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return await reply.redirect(await act(), 303)
  } catch (error) {
    if (error instanceof BursarError && ['HUE00001', 'HUE00002'].includes(error.code))
      return reply.redirect(path, 303)
    throw error
  }
}

type Handler = (
  found: PlanSetupSubject,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>

function withPlan(ctx: FlexContext, handle: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code, plan_id: id } = request.params as { institute: string; plan_id: string }
    const institute = isIdShaped(code) && isIdShaped(id) ? await findInstitute(ctx, code) : null
    const file = institute === null ? null : await findPlan(ctx, institute, id)
    if (institute === null || file === null) return sendWrongLink(request, reply)
    return handle({ institute, file, path: `/flex/${institute.code}/${file.plan.id}` }, request, reply)
  }
}

async function findPlan(ctx: FlexContext, institute: Institute, id: string): Promise<LoadedPlan | null> {
  try {
    return await getPlan(ctx, institute, id)
  } catch (error) {
    if (error instanceof BursarError && error.code === 'HUE00001') return null
    throw error
  }
}
