import type { FastifyReply } from 'fastify'
import { findStartedDues, type StartedDues } from '../../dues/on-the-way.service.ts'
import { listChildren } from '../../students/users/users.service.ts'
import { sendPage } from '../layout.ts'
import { frameOf, userOf, type Visit } from './access.ts'
import type { ParentContext } from './children.ts'
import { maskName } from '../../dues/dues.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { OrderToPay } from '../../orders/orders.rules.ts'
import { formatRupees } from '../../platform/money.ts'
import { fill, type Language } from '../../platform/languages.ts'
import type { ParentsTexts } from '../texts/texts.ts'
import { localMoment } from '../../messages/texts/texts.ts'

type PaymentAttempt = {
  /** Children whose fees the parent wants to pay. */
  children: readonly { studentId: string; name: string }[]
  form: Parameters<typeof describeBeingPaid>[0]['form']
}

/** Says who is at the bank's page for one of these children; null when nobody is. */
export async function sendBeingPaid(
  ctx: ParentContext,
  visit: Visit,
  { children, form }: PaymentAttempt,
): Promise<FastifyReply | null> {
  const { session, texts, language, reply } = visit
  const { institute, registrationId } = session
  for (const { studentId, name: studentName } of children) {
    const started = await findStartedDues(ctx, institute.id, studentId)
    if (started === null) continue
    const own = new Set(await listChildren(ctx, userOf(session)))
    const pageData = { institute, studentName, own, started, registrationId, form, language }
    const { title, data } = describeBeingPaid(pageData, texts)
    return sendPage(reply, {
      template: 'parents/being-paid',
      title,
      status: 409,
      // The language switch is a GET link, and this address only answers POST.
      hasSwitch: false,
      language,
      data: { ...frameOf(visit, ctx), ...data },
    })
  }
  return null
}

type OrderBeingPaidData = {
  institute: Institute
  order: OrderToPay
  started: StartedDues
  path: string
  language: Language
}

type BeingPaidData = {
  institute: Institute
  studentName: string
  /** The parent's own children: no others are named. */
  own: ReadonlySet<string>
  started: StartedDues
  /** Registration of the parent who sees the page. */
  registrationId: string
  /** The form that was sent, to be sent again; and where else to go. */
  form: { action: string; fields: readonly { name: string; value: string }[]; waitUrl: string }
  language: Language
}

/** The same at the checkout of an order or link, whose payer is not signed in. */
export function describeOrderBeingPaid(
  { institute, order, started, path, language }: OrderBeingPaidData,
  { beingPaid: texts }: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { payer } = started
  return {
    title: fill(texts.title, { where: institute.name }),
    data: {
      about: order.studentName ?? institute.name,
      heading: texts.heading,
      says: saysOf(started, payer === null ? texts.someone : maskName(payer.name), {
        texts,
        language,
        own: new Set(),
      }),
      wait: { url: path, text: texts.wait },
      takeOver: { say: texts.takeOverOrder, action: `${path}/start`, button: texts.takeOver },
    },
  }
}

/** Who is paying, until when others wait, and how to pay instead. */
function describeBeingPaid(
  { institute, studentName, own, started, registrationId, form, language }: BeingPaidData,
  { beingPaid: texts }: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { payer } = started
  const isOwn = payer?.registrationId === registrationId
  const name = payer === null ? texts.someone : maskName(payer.name)
  return {
    title: fill(texts.title, { where: institute.name }),
    data: {
      about: studentName,
      heading: texts.heading,
      says: saysOf(started, isOwn ? texts.yourself : name, { texts, language, own }),
      goOn: isOwn ? { url: `/pay/${institute.code}/${started.orderId}`, text: texts.goOn } : null,
      wait: { url: form.waitUrl, text: texts.wait },
      takeOver: {
        say: texts.takeOverSay,
        action: form.action,
        fields: form.fields,
        button: texts.takeOver,
      },
    },
  }
}

/** Who pays how much until when, and for whom if it is not for this child alone. */
function saysOf(
  { children, amountPaise, startedAt, heldUntil }: StartedDues,
  name: string,
  {
    texts,
    language,
    own,
  }: { texts: ParentsTexts['beingPaid']; language: Language; own: ReadonlySet<string> },
): string[] {
  const say = fill(texts.say, {
    name,
    amount: formatRupees(amountPaise),
    when: localMoment(startedAt, language),
    until: localMoment(heldUntil, language),
  })
  if (children.length < 2) return [say]
  const areOwn = children.every(({ studentId }) => own.has(studentId))
  const names = children.map(child => child.name).join(', ')
  return [say, areOwn ? fill(texts.forAll, { names }) : texts.forSeveral]
}
