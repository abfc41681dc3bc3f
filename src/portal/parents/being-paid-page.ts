import { maskName } from '../../dues/dues.rules.ts'
import type { StartedDues } from '../../dues/started.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Order } from '../../orders/orders.rules.ts'
import { formatRupees } from '../../platform/money.ts'
import { fill, type Language } from '../../platform/languages.ts'
import type { ParentsTexts } from '../texts/texts.ts'
import { localMoment } from '../../messages/words.ts'

type OrderBeingPaidData = {
  institute: Institute
  order: Order
  started: StartedDues
  path: string
  language: Language
}

type BeingPaidData = {
  institute: Institute
  studentName: string
  started: StartedDues
  /** Of the parent who sees it. */
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
      say: fill(texts.say, {
        name: payer === null ? texts.someone : maskName(payer.name),
        amount: formatRupees(started.amountPaise),
        when: localMoment(started.startedAt, language),
        until: localMoment(started.heldUntil, language),
      }),
      wait: { url: path, text: texts.wait },
      takeOver: { say: texts.takeOverOrder, action: `${path}/start`, button: texts.takeOver },
    },
  }
}

/** Who is paying, until when others wait, and how to pay instead. */
export function describeBeingPaid(
  { institute, studentName, started, registrationId, form, language }: BeingPaidData,
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
      say: fill(texts.say, {
        name: isOwn ? texts.yourself : name,
        amount: formatRupees(started.amountPaise),
        when: localMoment(started.startedAt, language),
        until: localMoment(started.heldUntil, language),
      }),
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
