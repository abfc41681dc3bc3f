import {
  VARIABLE,
  shortText,
  templatesOf,
  type NewMessage,
  type Template,
} from '../../messages/messages.rules.ts'
import { messageTextsIn, feeNames, whyRefunded, type RefundCause } from '../../messages/texts/texts.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'

/** What families are told of money that came or went back: a letter by mail, a line to the phone. */
type Money = {
  institute: string
  amount: string
  /** Of whom the fees are. */
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

/** Two texts, because operators drop one in which a variable is empty. */
const REFUNDED = { refund_made: 'short', refund_explained: 'shortWithReason' } as const

export function receivedText(
  paid: Money & { receipt: string; reference: string | null; isDebit: boolean },
  language: Language,
): Text {
  const { subject, body, debit, where } = messageTextsIn(language).received
  const values = valuesOf(paid, language)
  const isCounter = paid.url === null
  const name = paid.isDebit ? 'debit_received' : isCounter ? 'counter_payment' : 'payment_received'
  const short = shortText(name, language, each => fill(messageTextsIn(each).received[RECEIVED[name]], values))
  const text = [paid.isDebit ? debit : body, ...(isCounter ? [] : [where])].join(' ')
  return { subject: fill(subject, values), body: fill(text, values), short }
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
  }
  return [
    ...Object.entries(RECEIVED).flatMap(([name, text]) =>
      templatesOf(name, language => fill(messageTextsIn(language).received[text], values)),
    ),
    ...Object.entries(REFUNDED).flatMap(([name, text]) =>
      templatesOf(name, language => fill(messageTextsIn(language).refunded[text], values)),
    ),
  ]
}
