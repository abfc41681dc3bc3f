import type { FastifyInstance, FastifyReply } from 'fastify'
import type { LinkScope } from '../../dues/due-links.rules.ts'
import { useAdvance } from '../../dues/excess.service.ts'
import { openDuesOrder } from '../../dues/pay-dues.service.ts'
import { findVirtualAccount } from '../../dues/virtual-accounts/virtual-accounts.service.ts'
import { findNewest } from '../../loans/applications.service.ts'
import { lenderFor } from '../../loans/lenders/lenders.service.ts'
import { takesPayments } from '../../payments/start/start-payment.service.ts'
import { listPaid, type StudentPayment } from '../../payments/student-payments.service.ts'
import { parseDay } from '../../platform/calendar.ts'
import { BursarError } from '../../platform/errors.ts'
import { paiseOf, type Paise } from '../../platform/money.ts'
import { listChildren, listOtherYears } from '../../students/users/users.service.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { choosePages, findPayable } from './choose.routes.ts'
import { describeHome, describeStudent, type StudentPageData } from './student-page.ts'
import { formField, sendPage } from '../layout.ts'
import { CHILD, frameOf, HOME, userOf, withChild, withParent, type ChildVisit, type Visit } from './access.ts'
import { decideAmount } from './choose-page.ts'
import { askedOf, readChildren, type ParentContext, type Child } from './children.ts'
import { sendBeingPaid } from './being-paid-page.ts'

/** The list of children and the page of each, with its dues and payment form. */
export function parentPages(app: FastifyInstance, ctx: ParentContext): void {
  choosePages(app, ctx)
  app.get(
    HOME,
    withParent(ctx, visit => showHome(ctx, visit)),
  )
  app.get(
    CHILD,
    withChild(ctx, visit => showStudent(ctx, visit, null)),
  )
  app.post(
    `${CHILD}/pay`,
    withChild(ctx, visit => pay(ctx, visit)),
  )
  app.post(
    `${CHILD}/advance`,
    withChild(ctx, visit => takeAdvance(ctx, visit)),
  )
  app.get(
    `${CHILD}/advance`,
    withChild(ctx, async ({ studentId, reply }) => reply.redirect(pathOfStudent(studentId), 303)),
  )
  app.get(
    `${CHILD}/pay`,
    withChild(ctx, async ({ studentId, reply }) => reply.redirect(pathOfStudent(studentId), 303)),
  )
}

async function showHome(ctx: ParentContext, visit: Visit): Promise<FastifyReply> {
  const { session, texts, language, reply } = visit
  const { institute } = session
  const ids = await listChildren(ctx, userOf(session))
  const children = await readChildren(ctx, institute.id, ids)
  const payable = (await Promise.all(children.map(child => findPayable(ctx, institute.id, child)))).filter(
    one => one !== null,
  )
  const { title, data } = describeHome({ institute, children, payable, language }, texts)
  const frame = frameOf(visit, ctx)
  return sendPage(reply, { template: 'parents/home', title, language, data: { ...frame, ...data } })
}

async function readChild(ctx: ParentContext, { session, studentId }: ChildVisit): Promise<Child> {
  const [child] = await readChildren(ctx, session.institute.id, [studentId])
  if (child === undefined) throw new Error(`the student ${studentId} vanished`)
  return child
}

async function showStudent(
  ctx: ParentContext,
  visit: ChildVisit,
  problem: StudentPageData['problem'],
): Promise<FastifyReply> {
  const { session, texts, language, reply } = visit
  const { institute } = session
  const others = await listOtherYears(ctx, userOf(session), visit.studentId)
  const [child, ...otherYears] = await readChildren(ctx, institute.id, [visit.studentId, ...others])
  if (child === undefined) throw new Error(`the student ${visit.studentId} vanished`)
  const pageData: StudentPageData = {
    ...child,
    problem,
    received: await findReceived(ctx, visit),
    hasLoans: await hasLoans(ctx, institute.id, child),
    otherYears,
    institute,
    account: await findVirtualAccount(ctx, {
      instituteId: institute.id,
      studentId: visit.studentId,
    }),
    takesPayments: await takesPayments(ctx, {
      instituteId: institute.id,
      collectorCode: child.dues.context.student.collectorCode,
    }),
    language,
  }
  const { title, data } = describeStudent(pageData, texts)
  return sendPage(reply, {
    template: 'parents/student',
    title,
    status: problem === null ? 200 : 400,
    // The language switch is a GET link, and this address only answers POST.
    hasSwitch: problem === null,
    language,
    data: { ...frameOf(visit, ctx), ...data },
  })
}

/** The payment that the parent comes back from, if it is one for this child. */
async function findReceived(
  ctx: ParentContext,
  { session, studentId, request }: ChildVisit,
): Promise<StudentPayment | null> {
  const { paid } = request.query as Record<string, unknown>
  if (typeof paid !== 'string') return null
  const payments = await listPaid(ctx.db, session.institute.id, [studentId])
  return payments.find(payment => payment.orderId === paid && !payment.isReversed) ?? null
}

/** Offered for what nothing else pays. A family with an application finds its page whatever is left and whoever lends. */
async function hasLoans(ctx: ParentContext, instituteId: number, child: Child): Promise<boolean> {
  const { owedPaise, context } = askedOf(child)
  if (owedPaise > 0 && (await lenderFor(ctx, instituteId)) !== null) return true
  return (await findNewest(ctx, instituteId, context.student.id)) !== null
}

/** Opens an order for all dues, what is due by a day, or a part, and redirects to the checkout; input errors are shown on the page. */
async function pay(ctx: ParentContext, visit: ChildVisit): Promise<FastifyReply> {
  const { session, studentId, request, reply } = visit
  const { institute } = session
  const path = pathOfStudent(studentId)
  const wrote = formField(request, 'amount')
  let amountPaise: Paise | null = null
  if (wrote !== undefined) {
    const wanted = decideAmount(wrote, askedOf(await readChild(ctx, visit)))
    if (wanted.kind === 'problem') return showStudent(ctx, visit, { kind: wanted.problem, wrote })
    amountPaise = wanted.amountPaise
  }
  try {
    const callbackUrl = `${ctx.publicUrl}${path}`
    const payer = { registrationId: session.registrationId, name: session.name }
    const takeOver = formField(request, 'take_over') === '1'
    const wanted = { amountPaise, ...offerOf(visit), callbackUrl, takeOver, payer, isByHand: true }
    const { orderId } = await openDuesOrder(ctx, { institute, studentId }, wanted)
    return await reply.redirect(`/pay/${institute.code}/${orderId}`, 303)
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    if (error.code === 'HUE00002') return showConflict(ctx, visit)
    if (error.code !== 'HUE00000') throw error
    return showStudent(ctx, visit, { kind: 'changed', wrote: wrote ?? '' })
  }
}

/** What the button that was pressed asks for: `asked` is `overdue` or a day, `sum` what it says, in paise. */
function offerOf({ request }: ChildVisit): { asked: LinkScope | null; shownPaise: Paise | null } {
  const [asked = '', sum = ''] = [formField(request, 'asked'), formField(request, 'sum')]
  const until = parseDay(asked)
  return {
    asked: until !== null ? { scope: 'due_by', until } : asked === 'overdue' ? { scope: 'overdue' } : null,
    shownPaise: /^\d{1,15}$/.test(sum) ? paiseOf(Number(sum)) : null,
  }
}

/** Pays open fees with what was paid too much for others; pressed twice, the second finds nothing left to use. */
async function takeAdvance(ctx: ParentContext, visit: ChildVisit): Promise<FastifyReply> {
  const { session, studentId, reply } = visit
  const { institute, name } = session
  try {
    const reason = 'asked for on the parents’ pages'
    await useAdvance(ctx, { instituteId: institute.id }, { institute, studentId }, { reason, actor: name })
  } catch (error) {
    if (!(error instanceof BursarError) || error.code !== 'HUE00002') throw error
  }
  return reply.redirect(pathOfStudent(studentId), 303)
}

/** Another payer is at the bank's page; or a payment is pending or nothing is due any more, which the child's page shows. */
async function showConflict(ctx: ParentContext, visit: ChildVisit): Promise<FastifyReply> {
  const { studentId, reply, request } = visit
  const path = pathOfStudent(studentId)
  const { dues } = await readChild(ctx, visit)
  const children = [{ studentId, name: dues.context.student.fullname }]
  const fields = ['amount', 'asked'].flatMap(name => {
    const value = formField(request, name)
    return value === undefined ? [] : [{ name, value }]
  })
  const form = { action: `${path}/pay`, fields, waitUrl: path }
  return (await sendBeingPaid(ctx, visit, { children, form })) ?? reply.redirect(path, 303)
}
