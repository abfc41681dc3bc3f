import { readableComponent } from '../platform/names.ts'
import type { Payment } from '../payments/payments.rules.ts'
import { dayOf, INDIA } from '../platform/calendar.ts'
import { fill, formatDayIn, isLanguage, type Language } from '../platform/languages.ts'
import { textsIn, type AllTexts, type CheckoutTexts } from './texts/texts.ts'

/** Dates, failure reasons and fee names in each language. Digits stay Latin. */
const TIME = new Intl.DateTimeFormat('en-IN', {
  timeZone: INDIA,
  hour: 'numeric',
  minute: '2-digit',
  hourCycle: 'h23',
})

type DayPart = keyof AllTexts['time']['parts']

/** 15 November 2026 at 9:30 am IST; 15 नवंबर 2026 को सुबह 9:30 बजे. */
export function localMoment(moment: Date, language: Language): string {
  const { moment: pattern, parts } = textsIn(language).time
  const [hour = '', minute = ''] = TIME.format(moment).split(':')
  const time = `${Number(hour) % 12 === 0 ? 12 : Number(hour) % 12}:${minute}`
  const day = formatDayIn(dayOf(moment), language)
  return fill(pattern, { day, time, part: parts[partOf(Number(hour))] })
}

/** Not by the locale's own rules: Tamil’s call eight in the evening dusk. */
function partOf(hour: number): DayPart {
  if (hour < 4) return 'beforeDawn'
  if (hour < 12) return 'morning'
  if (hour < 16) return 'afternoon'
  return hour < 20 ? 'evening' : 'night'
}

/** Why a payment failed: our text for known codes, else the provider's message, which is English only. */
export function failureText(payment: Payment, language: Language): string {
  const { failureCode: code, failureMessage: message } = payment
  const { why } = textsIn(language).checkout
  if (code !== null && Object.hasOwn(why, code)) return why[code as keyof CheckoutTexts['why']]
  const theirs = language === 'en' ? (message ?? '').trim() : ''
  if (theirs === '') return why.other
  return /[.!?]$/.test(theirs) ? theirs : `${theirs}.`
}

/**
 * TUITION_FEE becomes Tuition fee or its usual name in the language, also with the term that a fee structure adds;
 * unknown codes stay as the institute wrote them.
 */
export function feeName(code: string, language: Language): string {
  const { fees, feeOfTerm } = textsIn(language)
  if (Object.hasOwn(fees, code)) return fees[code as keyof typeof fees]
  const [, head = '', number = ''] = /^(.+)_TERM_(\d+)$/.exec(code) ?? []
  if (!Object.hasOwn(fees, head)) return readableComponent(code)
  return fill(feeOfTerm, { fee: fees[head as keyof typeof fees], number })
}

/** The payer's choice, else the language of the institute, else the first of Accept-Language that we have. */
export function chooseLanguage(
  chosen: string | undefined,
  ofInstitute: Language | null,
  accepted: string | undefined,
): Language {
  if (isLanguage(chosen)) return chosen
  if (ofInstitute !== null) return ofInstitute
  const wanted = (accepted ?? '').split(',').map(part => /^\s*([a-z]+)/i.exec(part)?.[1]?.toLowerCase())
  return wanted.find(isLanguage) ?? 'en'
}
