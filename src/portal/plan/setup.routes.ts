import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FlexContext } from '../../flex/context.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { getPlan } from '../../flex/plans/plans.service.ts'
import type { Rail } from '../../flex/rules/rails.rules.ts'
import {
  capFor,
  downpaymentOrder,
  openSetup,
  railsFor,
  startMandate,
} from '../../flex/mandates/setup.service.ts'
import { readDebitRules } from '../../flex/settings/debit-rules.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { findInstitute } from '../../institutes/institutes.service.ts'
import { listPayments } from '../../payments/payments.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import { pathOf } from '../entry/entry.rules.ts'
import { canAgree, describeFlex, describeObstacle } from './setup-page.ts'
import { downOf, fingerprint, type FlexProblem, type FlexScene } from './setup-parts.ts'
import { formField, languageOf, sendPage, sendWrongLink } from '../layout.ts'
import { isWithParent } from '../parents/access.ts'
import { PARENTS_WORDS } from '../parents/parents.texts.ts'

const URL_PATH = '/flex/:institute/:plan_id'
const hidden = { schema: { hide: true } }
const RAILS: readonly Rail[] = ['upi_autopay', 'enach']
const PROBLEMS: readonly FlexProblem[] = ['consent', 'changed']

type Found = { institute: Institute; file: LoadedPlan; path: string }

/** The page behind a plan's `redirect_url`: the parent sees the schedule, agrees, and sees later how it stands. */
export function flexPages(app: FastifyInstance, flex: FlexContext): void {
  app.get(
    URL_PATH,
    hidden,
    withPlan(flex, (found, request, reply) => show(flex, found, request, reply)),
  )
  app.post(
    `${URL_PATH}/mandate`,
    hidden,
    withPlan(flex, (found, request, reply) => agree(flex, found, request, reply)),
  )
  app.post(
    `${URL_PATH}/downpayment`,
    hidden,
    withPlan(flex, (found, _request, reply) => payDown(flex, found, reply)),
  )
  // Back from the bank or the checkout, or by the browser's own ways: the page tells how it stands.
  const toPage = withPlan(flex, async ({ path }, _request, reply) => reply.redirect(path, 303))
  for (const step of ['return', 'mandate', 'downpayment']) app.get(`${URL_PATH}/${step}`, hidden, toPage)
}

type Obstacle = Parameters<typeof describeObstacle>[1]

/** The plan as it is to be shown, or what keeps it from being set up. */
async function look(
  flex: FlexContext,
  found: Found,
): Promise<{ file: LoadedPlan; studentName: string; obstacle: Obstacle | null }> {
  const { institute, file } = found
  const { instituteId, studentId, state } = file.plan
  const student = (await readStudentContexts(flex.db, [{ instituteId, studentId }])).get(studentId)
  const stored = { file, studentName: student?.student.fullname ?? '' }
  // While a payment or an approval is under way the parent has seen the schedule, and the page may reload every few
  // seconds: the ERP is asked again when there is something to agree to.
  const isUnderWay =
    file.mandate?.state === 'pending' || (downOf(file).isUnpaid && downOf(file).orderId !== null)
  if (state !== 'draft' || isUnderWay) return { ...stored, obstacle: null }
  try {
    const setup = await openSetup(flex, institute, file.plan.id)
    if (setup.kind !== 'ready') return { ...stored, obstacle: setup }
    const { scene } = setup
    return { file: scene.file, studentName: scene.student.student.fullname, obstacle: null }
  } catch (error) {
    // The ERP's answer leaves nothing to plan, or its schedule does not add up.
    const isUnsuitable = error instanceof BursarError && ['HUE00000', 'HUE00002'].includes(error.code)
    if (!isUnsuitable) throw error
    return { ...stored, obstacle: { kind: 'unsuitable' } }
  }
}

async function sceneOf(
  flex: FlexContext,
  { institute, path }: Found,
  seen: { file: LoadedPlan; studentName: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FlexScene> {
  const { file } = seen
  const query = request.query as Record<string, unknown>
  const debitRules = await readDebitRules(flex)
  const hasDebits = file.instalments.some(one => !one.isDownpayment)
  const rails = hasDebits ? await railsFor(flex, file) : []
  const { orderId, isUnpaid } = downOf(file)
  const payments = isUnpaid && orderId !== null ? await listPayments(flex, institute.id, orderId) : []
  const provider = flex.currentProvider
  return {
    ...seen,
    institute,
    offers: rails.map(rail => ({ rail, capPaise: capFor(file, debitRules.rules.rails[rail].limitPaise) })),
    debitRules,
    downPayment: payments[0] ?? null,
    takesMandates: provider !== null && flex.providers.get(provider)?.mandates !== undefined,
    problem: PROBLEMS.find(one => one === query['problem']),
    chosen: RAILS.find(one => one === query['rail']),
    isChoosing: query['choose'] === '1',
    isStill: query['still'] === '1',
    isSandbox: flex.mode === 'sandbox',
    path,
    language: languageOf(request, reply),
  }
}

async function show(
  flex: FlexContext,
  found: Found,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { obstacle, ...seen } = await look(flex, found)
  const scene = await sceneOf(flex, found, seen, request, reply)
  const page = obstacle === null ? describeFlex(scene) : describeObstacle(scene, obstacle)
  const { studentId } = seen.file.plan
  const isParent = await isWithParent(flex, request, { instituteId: found.institute.id, studentId })
  const back = isParent
    ? { url: pathOf(studentId, 'flex'), text: PARENTS_WORDS[scene.language].plan.back }
    : null
  return sendPage(reply, {
    template: 'flex',
    language: scene.language,
    ...page,
    data: { ...page.data, back },
  })
}

/** A second tab, a double click, the back button: whoever posts again is sent to the same mandate. */
async function agree(
  flex: FlexContext,
  found: Found,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path, institute } = found
  const { obstacle, ...seen } = await look(flex, found)
  const { file } = seen
  const scene = await sceneOf(flex, found, seen, request, reply)
  if (obstacle !== null || !canAgree(scene)) return reply.redirect(path, 303)
  const begun = file.mandate?.state === 'pending' ? file.mandate.rail : undefined
  const goesOn = begun !== undefined && formField(request, 'go_on') === 'yes'
  const rail = goesOn ? begun : scene.offers.find(one => one.rail === formField(request, 'rail'))?.rail
  if (rail === undefined) return reply.redirect(path, 303)
  const problem = goesOn ? undefined : problemOf(request, file)
  if (problem !== undefined) {
    const query = new URLSearchParams({ problem, rail, ...(begun === undefined ? {} : { choose: '1' }) })
    return reply.redirect(`${path}?${query.toString()}${problem === 'consent' ? '#agree' : ''}`, 303)
  }
  const key = { instituteId: institute.id, planId: file.plan.id }
  const returnUrl = `${flex.publicUrl}${path}/return`
  return toPageOnConflict(path, reply, async () =>
    startMandate(flex, key, {
      rail,
      language: scene.language,
      returnUrl,
      consent: `the payer agreed to the schedule ${fingerprint(file)}, shown in ${scene.language}`,
    }),
  )
}

/** A consent counts for the dates and amounts that were shown with it. */
function problemOf(request: FastifyRequest, file: LoadedPlan): FlexProblem | undefined {
  if (formField(request, 'seen') !== fingerprint(file)) return 'changed'
  return formField(request, 'consent') === 'yes' ? undefined : 'consent'
}

async function payDown(flex: FlexContext, found: Found, reply: FastifyReply): Promise<FastifyReply> {
  const { institute, path } = found
  const { obstacle, file } = await look(flex, found)
  if (obstacle !== null || file.plan.state !== 'draft') return reply.redirect(path, 303)
  const key = { instituteId: institute.id, planId: file.plan.id }
  return toPageOnConflict(path, reply, async () => {
    const orderId = await downpaymentOrder(flex, key, `${flex.publicUrl}${path}/return`)
    return orderId === null ? path : `/pay/${institute.code}/${orderId}`
  })
}

/** What was done meanwhile, in another tab or by the institute, the page says. */
async function toPageOnConflict(
  path: string,
  reply: FastifyReply,
  act: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return await reply.redirect(await act(), 303)
  } catch (error) {
    if (error instanceof BursarError && error.code === 'HUE00002') return reply.redirect(path, 303)
    throw error
  }
}

type Handler = (found: Found, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function withPlan(flex: FlexContext, handle: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { institute: code, plan_id: id } = request.params as { institute: string; plan_id: string }
    const institute = isIdShaped(code) && isIdShaped(id) ? await findInstitute(flex, code) : null
    const file = institute === null ? null : await findPlan(flex, institute, id)
    if (institute === null || file === null) return sendWrongLink(request, reply)
    return handle({ institute, file, path: `/flex/${institute.code}/${file.plan.id}` }, request, reply)
  }
}

async function findPlan(flex: FlexContext, institute: Institute, id: string): Promise<LoadedPlan | null> {
  try {
    return await getPlan(flex, institute, id)
  } catch (error) {
    if (error instanceof BursarError && error.code === 'HUE00001') return null
    throw error
  }
}
