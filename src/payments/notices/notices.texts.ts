import { VARIABLE, type NewMessage, type Template } from '../../messages/messages.rules.ts'
import { shortText, templatesOf } from '../../messages/short-texts.ts'
import { messageTextsIn } from '../../messages/texts/texts.ts'
import { feeNames } from '../../messages/words.ts'
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

export function receivedText(paid: Money & { receipt: string }, language: Language): Text {
  const { subject, body, where } = messageTextsIn(language).received
  const values = valuesOf(paid, language)
  const isCounter = paid.url === null
  const short = shortText(isCounter ? 'counter_payment' : 'payment_received', language, each => {
    const texts = messageTextsIn(each).received
    return fill(isCounter ? texts.counter : texts.short, values)
  })
  const text = isCounter ? body : `${body} ${where}`
  return { subject: fill(subject, values), body: fill(text, values), short }
}

export function refundedText(refund: Money & { reference: string | null }, language: Language): Text {
  const { subject, body, reference, where } = messageTextsIn(language).refunded
  const values = valuesOf(refund, language)
  const text = [
    refund.reference === null ? body : `${body} ${reference}`,
    ...(refund.url === null ? [] : [where]),
  ].join('\n\n')
  const short = shortText('refund_made', language, each =>
    fill(messageTextsIn(each).refunded.short, values).trim(),
  )
  return { subject: fill(subject, values), body: fill(text, values), short }
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
  const values = { institute: VARIABLE, amount: VARIABLE, who: VARIABLE, receipt: VARIABLE, url: VARIABLE }
  return [
    ...templatesOf('payment_received', language => fill(messageTextsIn(language).received.short, values)),
    ...templatesOf('counter_payment', language => fill(messageTextsIn(language).received.counter, values)),
    ...templatesOf('refund_made', language => fill(messageTextsIn(language).refunded.short, values)),
  ]
}
