import type { FastifyInstance, FastifyReply } from 'fastify'
import { withoutTaken } from '../../dues/dues.rules.ts'
import { readDues, type Dues } from '../../dues/dues.service.ts'
import { openDuesOrder } from '../../dues/pay-dues.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { readPlansOf } from '../../flex/plans/student-plans.service.ts'
import { listOnTheWay, type StudentPayment } from '../../payments/student-payments.service.ts'
import { BursarError } from '../../platform/errors.ts'
import type { Paise } from '../../platform/money.ts'
import { listChildren } from '../../students/users/parents.service.ts'
import { pathOfStudent } from '../entry/entry.rules.ts'
import { describeHome, type Child } from './home-page.ts'
import { formField, sendPage } from '../layout.ts'
import { CHILD, frameOf, HOME, userOf, withChild, withParent, type ChildVisit, type Visit } from './access.ts'
import { decideAmount } from './pay-amount.rules.ts'
import { describeStudent, type StudentScene } from './student-page.ts'

const hidden = { schema: { hide: true } }

/** All children in one place, and the page of each: what is due, and paying it. */
export function parentPages(app: FastifyInstance, flex: FlexContext): void {
  const hasLoans = (): boolean => app.hasRoute({ method: 'GET', url: `${CHILD}/cred` })
  app.get(
    HOME,
    hidden,
    withParent(flex, visit => showHome(flex, visit)),
  )
  app.get(
    CHILD,
    hidden,
    withChild(flex, visit => showStudent(flex, visit, { hasLoans: hasLoans(), problem: null })),
  )
  app.post(
    `${CHILD}/pay`,
    hidden,
    withChild(flex, visit => pay(flex, visit, hasLoans())),
  )
  app.get(
    `${CHILD}/pay`,
    hidden,
    withChild(flex, async ({ studentId, reply }) => reply.redirect(pathOfStudent(studentId), 303)),
  )
}

async function showHome(flex: FlexContext, visit: Visit): Promise<FastifyReply> {
  const { session, words, language, reply } = visit
  const { institute } = session
  const ids = await listChildren(flex, userOf(session))
  const children = await readChildren(flex, institute.id, ids)
  const { title, data } = describeHome({ institute, children }, words)
  const frame = frameOf(visit, flex)
  return sendPage(reply, { template: 'parents-home', title, language, data: { ...frame, ...data } })
}

/** In the order of the ids; a handful of statements however many. */
async function readChildren(
  flex: FlexContext,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Child[]> {
  const keys = studentIds.map(studentId => ({ instituteId, studentId }))
  const [dues, plans, onTheWay] = await Promise.all([
    readDues(flex, keys),
    readPlansOf(flex, instituteId, studentIds),
    listOnTheWay(flex.db, instituteId, studentIds),
  ])
  return studentIds.flatMap(id => {
    const own = dues.get(id)
    if (own === undefined) return []
    return [
      { dues: own, plan: plans.get(id) ?? null, onTheWay: onTheWay.filter(one => one.studentId === id) },
    ]
  })
}

async function readChild(
  flex: FlexContext,
  { session, studentId }: ChildVisit,
): Promise<{ dues: Dues; plan: LoadedPlan | null; onTheWay: readonly StudentPayment[] }> {
  const [child] = await readChildren(flex, session.institute.id, [studentId])
  if (child === undefined) throw new Error(`the student ${studentId} vanished`)
  return child
}

type Extras = Pick<StudentScene, 'problem' | 'hasLoans'>

async function showStudent(flex: FlexContext, visit: ChildVisit, extras: Extras): Promise<FastifyReply> {
  const { session, words, language, reply } = visit
  const scene: StudentScene = {
    ...(await readChild(flex, visit)),
    ...extras,
    institute: session.institute,
    takesPayments: flex.currentProvider !== null,
    language,
  }
  const { title, data } = describeStudent(scene, words)
  return sendPage(reply, {
    template: 'parents-student',
    title,
    status: extras.problem === null ? 200 : 400,
    // A form's own address has no page to change the language of.
    hasSwitch: extras.problem === null,
    language,
    data: { ...frameOf(visit, flex), ...data },
  })
}

/** To the checkout with all of it or a part; what stands in the way is said on the page. */
async function pay(flex: FlexContext, visit: ChildVisit, hasLoans: boolean): Promise<FastifyReply> {
  const { session, studentId, request, reply } = visit
  const { institute } = session
  const path = pathOfStudent(studentId)
  const wrote = formField(request, 'amount')?.slice(0, 40)
  let amountPaise: Paise | null = null
  if (wrote !== undefined) {
    const { dues, onTheWay } = await readChild(flex, visit)
    const wanted = decideAmount(wrote, withoutTaken(dues, onTheWay))
    if (wanted.kind === 'problem')
      return showStudent(flex, visit, { hasLoans, problem: { kind: wanted.problem, wrote } })
    amountPaise = wanted.amountPaise
  }
  try {
    const callbackUrl = `${flex.publicUrl}${path}`
    const { orderId } = await openDuesOrder(flex, { institute, studentId }, { amountPaise, callbackUrl })
    return await reply.redirect(`/pay/${institute.code}/${orderId}`, 303)
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    // A payment that is on its way, or nothing due any more: the page says so.
    if (error.code === 'HUE00002') return reply.redirect(path, 303)
    if (error.code !== 'HUE00000') throw error
    return showStudent(flex, visit, { hasLoans, problem: { kind: 'changed', wrote: wrote ?? '' } })
  }
}
