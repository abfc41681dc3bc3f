import {
  VARIABLE,
  shortText,
  templatesOf,
  type NewMessage,
  type Template,
} from '../../messages/messages.rules.ts'
import {
  messageTextsIn,
  feeNames,
  whyRefunded,
  type MessageTexts,
  type RefundCause,
} from '../../messages/texts/texts.ts'
import type { ToldCancellation } from '../../receipts/receipts.rules.ts'
import type { RefundWay } from '../../students/direct-payments/direct-payments.rules.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'

/** What families are told of money that came or went back: a letter by mail, a line to the phone. */
type Money = {
  institute: string
  amount: string
  /** The student whose fees were paid. */
  who: string
  components: readonly string[]
  day: string
  /** Where it can be read again; null for money taken at the counter. */
  url: string | null
}
type Text = Pick<NewMessage, 'subject' | 'body'> & { short: ReturnType<typeof shortText> }

/** The short texts of money that came, by the names under which they are registered. */
const RECEIVED = {
  payment_received: 'short',
  counter_payment: 'counter',
  debit_received: 'debitShort',
} as const

/** Subject, body and short text of money that was told of and does not count there after all, by why. */
const CANCELLED = {
  payment_cancelled: ['subject', 'body', 'short'],
  cheque_returned: ['chequeSubject', 'cheque', 'chequeShort'],
  cheque_returned_charged: ['chequeSubject', 'cheque', 'chequeShortCharged'],
  payment_moved: ['movedSubject', 'moved', 'movedShort'],
} as const

/** Two texts, because operators drop one in which a variable is empty. */
const REFUNDED = { refund_made: 'short', refund_explained: 'shortWithReason' } as const

export function receivedText(
  paid: Money & { receipt: string; replaced: string | null; reference: string | null; isDebit: boolean },
  language: Language,
): Text {
  if (paid.replaced !== null) return correctedText({ ...paid, replaced: paid.replaced }, language)
  const { subject, body, debit, where } = messageTextsIn(language).received
  const values = valuesOf(paid, language)
  const isCounter = paid.url === null
  const name = paid.isDebit ? 'debit_received' : isCounter ? 'counter_payment' : 'payment_received'
  const short = shortText(name, language, each => fill(messageTextsIn(each).received[RECEIVED[name]], values))
  const text = [paid.isDebit ? debit : body, ...(isCounter ? [] : [where])].join(' ')
  return { subject: fill(subject, values), body: fill(text, values), short }
}

/** Corrects what was told before of the same payment. */
function correctedText(paid: Money & { receipt: string; replaced: string }, language: Language): Text {
  const { subject, body } = messageTextsIn(language).corrected
  const values = { ...valuesOf(paid, language), replaced: paid.replaced }
  const short = shortText('payment_corrected', language, each =>
    fill(messageTextsIn(each).corrected.short, { ...valuesOf(paid, each), replaced: paid.replaced }),
  )
  return { subject: fill(subject, values), body: fill(body, values), short }
}

/** `cheque`: the number of one that the bank returned; `charge`: what the family is charged for it. */
export function cancelledText(
  paid: Money & {
    receipt: string
    cause: ToldCancellation['cause']
    cheque: string | null
    charge: string | null
    reason: string
  },
  language: Language,
): Text {
  const name = cancelledName(paid)
  const [subject, body, shorter] = CANCELLED[name]
  const textIn = (key: keyof MessageTexts['cancelled'], each: Language): string =>
    fill(messageTextsIn(each).cancelled[key], {
      ...valuesOf(paid, each),
      cheque: paid.cheque ?? '',
      reason: paid.reason,
      charge: paid.charge ?? '',
    })
  const short = shortText(name, language, each => textIn(shorter, each))
  const says = paid.charge === null ? [body] : [body, 'chequeCharge' as const]
  const text = says.map(key => textIn(key, language)).join('\n\n')
  return { subject: textIn(subject, language), body: text, short }
}

function cancelledName({
  cause,
  cheque,
  charge,
}: Parameters<typeof cancelledText>[0]): keyof typeof CANCELLED {
  if (cause !== 'cheque_returned') return cause
  if (cheque === null) return 'payment_cancelled'
  return charge === null ? cause : 'cheque_returned_charged'
}

/** Tells of money that the office has paid out itself. */
export function paidOutText(
  refund: Money & { way: RefundWay; reference: string | null; voucher: string },
  language: Language,
): Text {
  const { subject, body } = messageTextsIn(language).paidOut
  const valuesIn = (each: Language) => {
    const { ways } = messageTextsIn(each).paidOut
    const { voucher, reference } = refund
    return { ...valuesOf(refund, each), voucher, way: fill(ways[refund.way], { reference: reference ?? '' }) }
  }
  const short = shortText('refund_paid_out', language, each =>
    fill(messageTextsIn(each).paidOut.short, valuesIn(each)),
  )
  return { subject: fill(subject, valuesIn(language)), body: fill(body, valuesIn(language)), short }
}

export function refundedText(
  refund: Money & { reference: string | null; cause: RefundCause | null },
  language: Language,
): Text {
  const { subject, body, reference, where } = messageTextsIn(language).refunded
  const valuesIn = (each: Language) => ({ ...valuesOf(refund, each), why: whyRefunded(refund.cause, each) })
  const values = valuesIn(language)
  const text = [
    refund.reference === null ? body : `${body} ${reference}`,
    ...(refund.url === null ? [] : [where]),
  ].join('\n\n')
  const name = refund.cause === null ? 'refund_made' : 'refund_explained'
  const short = shortText(name, language, each =>
    fill(messageTextsIn(each).refunded[REFUNDED[name]], valuesIn(each)),
  )
  return { subject: fill(subject, values), body: withoutGaps(fill(text, values)), short }
}

/** A reason that is missing leaves none. */
function withoutGaps(text: string): string {
  return text.replaceAll(/ {2,}/g, ' ').trim()
}

function valuesOf(money: Money & { receipt?: string; reference?: string | null }, language: Language) {
  const { institute, amount, who, receipt = '', reference, components, day, url } = money
  return {
    institute,
    amount,
    who,
    receipt,
    reference: reference ?? '',
    url: url ?? '',
    day: formatDayIn(day, language),
    forWhat: feeNames(components, language),
  }
}

/** The short texts, as they are registered. */
export function noticeTemplates(): Template[] {
  const values = {
    institute: VARIABLE,
    amount: VARIABLE,
    who: VARIABLE,
    receipt: VARIABLE,
    why: VARIABLE,
    url: VARIABLE,
    replaced: VARIABLE,
    cheque: VARIABLE,
    charge: VARIABLE,
    reason: VARIABLE,
    way: VARIABLE,
    voucher: VARIABLE,
  }
  return [
    ...Object.entries(RECEIVED).flatMap(([name, text]) =>
      templatesOf(name, language => fill(messageTextsIn(language).received[text], values)),
    ),
    ...templatesOf('payment_corrected', language => fill(messageTextsIn(language).corrected.short, values)),
    ...Object.entries(CANCELLED).flatMap(([name, [, , short]]) =>
      templatesOf(name, language => fill(messageTextsIn(language).cancelled[short], values)),
    ),
    ...templatesOf('refund_paid_out', language => fill(messageTextsIn(language).paidOut.short, values)),
    ...Object.entries(REFUNDED).flatMap(([name, text]) =>
      templatesOf(name, language => fill(messageTextsIn(language).refunded[text], values)),
    ),
  ]
}
