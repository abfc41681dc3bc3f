import type { Payment } from '../payments/payments.rules.ts'
import { isLanguage, type Language } from '../platform/languages.ts'
import { textsIn, type CheckoutTexts } from './texts/texts.ts'

/** Why a payment failed: our text for known codes, else the provider's message, which is English only. */
export function failureText(payment: Payment, language: Language): string {
  const { failureCode: code, failureMessage: message } = payment
  const { why } = textsIn(language).checkout
  if (code !== null && Object.hasOwn(why, code)) return why[code as keyof CheckoutTexts['why']]
  const theirs = language === 'en' ? (message ?? '').trim() : ''
  if (theirs === '') return why.other
  return /[.!?]$/.test(theirs) ? theirs : `${theirs}.`
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
