import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { openFamilyOrders } from '../../dues/pay-dues.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { commonAccount } from '../../payments/start/start-payment.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { listChildren } from '../../students/users/users.service.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { formField, formFields, sendPage } from '../layout.ts'
import { CHILD, frameOf, HOME, sendUnknown, userOf, withChild, withParent, type Visit } from './access.ts'
import {
  boxesOf,
  payableOf,
  problemOf,
  proposedFor,
  queryOf,
  readBoxes,
  addressOf,
  describeChoose,
  totalPaise,
  PAY,
  type Choice,
  type Payable,
} from './choose-page.ts'
import { readChildren, type Child, type ParentContext } from './children.ts'
import { sendBeingPaid } from './being-paid-page.ts'

const SCRIPT = readFileSync(new URL('../templates/parents/choose.js', import.meta.url), 'utf8')

/** Where a parent picks fees of one child or of all and pays them at once. */
export function choosePages(app: FastifyInstance, ctx: ParentContext): void {
  const open = async (visit: Visit, only: string | null): Promise<FastifyReply> => {
    const { until, fee } = visit.request.query as Record<string, unknown>
    const children = await readPayable(ctx, visit, only)
    if (children === null) return sendUnknown(visit)
    if (fee !== undefined) {
      const choice = readBoxes([fee].flat().map(String).filter(Boolean), children)
      const isOwn = await areOwn(ctx, visit, choice)
      return isOwn ? show(ctx, visit, { children, only, choice, problem: null }) : sendUnknown(visit)
    }
    const day = typeof until === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(until) ? until : undefined
    return show(ctx, visit, { children, only, choice: proposedFor(children, day), problem: null })
  }
  app.get(
    PAY,
    withParent(ctx, visit => open(visit, null)),
  )
  app.get(
    `${CHILD}/choose`,
    withChild(ctx, visit => open(visit, visit.studentId)),
  )
  app.post(
    PAY,
    withParent(ctx, visit => pay(ctx, visit)),
  )
}

async function areOwn(ctx: ParentContext, { session }: Visit, choice: Choice): Promise<boolean> {
  const own = new Set(await listChildren(ctx, userOf(session)))
  return [...choice.keys()].every(studentId => own.has(studentId))
}

/** Null when the child that is asked for is not the parent's. */
async function readPayable(
  ctx: ParentContext,
  { session }: Visit,
  only: string | null,
): Promise<Payable[] | null> {
  const { institute } = session
  const own = await listChildren(ctx, userOf(session))
  if (only !== null && !(isIdShaped(only) && own.includes(only))) return null
  const payable: Payable[] = []
  for (const child of await readChildren(ctx, institute.id, only === null ? own : [only])) {
    const one = await findPayable(ctx, institute.id, child)
    if (one !== null) payable.push(one)
  }
  return payable
}

export async function findPayable(
  ctx: FlexContext,
  instituteId: number,
  child: Child,
): Promise<Payable | null> {
  const account = await commonAccount(ctx.accounts, instituteId, [child.dues.context.student])
  return payableOf(child, account?.id ?? null)
}

type ChoosePageState = Pick<Parameters<typeof describeChoose>[0], 'children' | 'only' | 'choice' | 'problem'>

function show(ctx: ParentContext, visit: Visit, shown: ChoosePageState): FastifyReply {
  const { session, texts, language, reply, request } = visit
  const { title, data } = describeChoose({ ...shown, institute: session.institute, language }, texts)
  return sendPage(reply, {
    template: 'parents/choose',
    script: SCRIPT,
    title,
    status: shown.problem === null ? 200 : 400,
    // The language switch is a GET link; it keeps what is ticked.
    hasSwitch: request.method === 'GET',
    switchQuery: request.method === 'GET' ? queryOf(boxesOf(shown.choice)) : '',
    language,
    data: { ...frameOf(visit, ctx), ...data },
  })
}

async function pay(ctx: ParentContext, visit: Visit): Promise<FastifyReply> {
  const { session, request, reply } = visit
  const { institute } = session
  const only = formField(request, 'student') ?? null
  const children = await readPayable(ctx, visit, only)
  if (children === null) return sendUnknown(visit)
  const boxes = formFields(request, 'fee')
  const choice = readBoxes(boxes, children)
  if (!(await areOwn(ctx, visit, choice))) return sendUnknown(visit)
  // The total has a page of its own, which can be read again and in another language.
  if (formField(request, 'act') === 'total')
    return reply.redirect(`${addressOf(only)}?${queryOf(boxes)}`, 303)
  const problem = problemOf(children, choice) ?? otherSum(children, choice, formField(request, 'sum'))
  if (problem !== null) return show(ctx, visit, { children, only, choice, problem })
  try {
    const wanted = [...choice].map(([studentId, componentTypes]) => ({ studentId, componentTypes }))
    const { checkoutId } = await openFamilyOrders(ctx, institute, wanted, {
      urlOf: studentId => `${ctx.publicUrl}${pathOfStudent(studentId)}`,
      takeOver: formField(request, 'take_over') === '1',
      isByHand: true,
      payer: { registrationId: session.registrationId, name: session.name },
    })
    return await reply.redirect(`/pay/${institute.code}/${checkoutId}`, 303)
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    if (error.code === 'HUE00002') return showConflict(ctx, visit, { children, choice, boxes, only })
    if (error.code !== 'HUE00000') throw error
    return show(ctx, visit, { children, only, choice, problem: { kind: 'changed' } })
  }
}

/** Without a script the button says the sum of what was ticked when the page came. */
function otherSum(
  children: readonly Payable[],
  choice: Choice,
  shown: string | undefined,
): { kind: 'sum' } | null {
  return shown === undefined || shown === String(totalPaise(children, choice)) ? null : { kind: 'sum' }
}

/** Another payer is at the bank's page for one of the children; or a payment is pending, which the children's pages show. */
async function showConflict(
  ctx: ParentContext,
  visit: Visit,
  {
    children,
    choice,
    boxes,
    only,
  }: {
    children: readonly Payable[]
    choice: Choice
    boxes: readonly string[]
    only: string | null
  },
): Promise<FastifyReply> {
  const fields = [
    ...boxes.map(value => ({ name: 'fee', value })),
    ...(only === null ? [] : [{ name: 'student', value: only }]),
  ]
  const chosen = children
    .filter(child => choice.has(child.studentId))
    .map(({ studentId, dues }) => ({ studentId, name: dues.context.student.fullname }))
  const form = { action: PAY, fields, waitUrl: HOME }
  return (await sendBeingPaid(ctx, visit, { children: chosen, form })) ?? visit.reply.redirect(HOME, 303)
}
