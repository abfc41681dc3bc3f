import { VARIABLE, type Template } from '../../messages/messages.rules.ts'

/** What families are told of money that came or went back: a letter by mail, a line to the phone. */
type Values = {
  institute: string
  amount: string
  /** Of whom the fees are. */
  who: string
  forWhat: string
  receipt: string
  day: string
  /** Where it can be read again; null for money taken at the counter. */
  url: string | null
}
type Text = { subject: string; body: string; short: string }

export function receivedText(f: Values): Text {
  return {
    subject: `${f.institute}: ${f.amount} received for ${f.who}, receipt ${f.receipt}`,
    body: [
      `${f.institute} has received ${f.amount} on ${f.day} for ${f.who} (${f.forWhat}). Thank you.`,
      `The receipt ${f.receipt} is attached.${f.url === null ? '' : ` It can also be read here:\n${f.url}`}`,
    ].join('\n\n'),
    short:
      f.url === null
        ? `${f.institute}: we have received ${f.amount} for ${f.who}. Receipt ${f.receipt}. Thank you.`
        : `${f.institute}: we have received ${f.amount} for ${f.who}. Receipt ${f.receipt}: ${f.url}`,
  }
}

export function refundedText(f: Omit<Values, 'receipt'> & { reference: string | null }): Text {
  const reference = f.reference === null ? '' : ` Its bank reference is ${f.reference}.`
  return {
    subject: `${f.institute}: ${f.amount} refunded for ${f.who}`,
    body: [
      `${f.institute} has refunded ${f.amount} on ${f.day} for ${f.who} (${f.forWhat}). It goes back the way it was paid, and most banks show it within 5 to 7 working days.${reference}`,
      ...(f.url === null ? [] : [`The payment is here:\n${f.url}`]),
    ].join('\n\n'),
    short: `${f.institute}: ${f.amount} paid for ${f.who} was refunded and reaches your account within 5 to 7 working days. ${f.url ?? ''}`,
  }
}

const NAMES = { received: 'payment_received_en', counter: 'counter_payment_en', refunded: 'refund_made_en' }
export const NOTICE_TEMPLATES = NAMES

/** The short texts, as they are registered. */
export function noticeTemplates(): Template[] {
  const text = VARIABLE
  const values: Values = {
    institute: text,
    amount: text,
    who: text,
    forWhat: text,
    receipt: text,
    day: text,
    url: text,
  }
  return [
    { name: NAMES.received, text: receivedText(values).short },
    { name: NAMES.counter, text: receivedText({ ...values, url: null }).short },
    { name: NAMES.refunded, text: refundedText({ ...values, reference: null }).short },
  ]
}
