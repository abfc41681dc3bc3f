import { isLanguage, type Language } from '../../platform/languages.ts'
import en from './en.json' with { type: 'json' }
import hi from './hi.json' with { type: 'json' }
import kn from './kn.json' with { type: 'json' }
import ta from './ta.json' with { type: 'json' }
import type { Payment } from '../../payments/payments.rules.ts'

/**
 * What the pages of families say. `{x}` is a placeholder; an object with `one` and `other` has the plural forms. The
 * English file decides which texts there are: another that lacks one does not compile.
 */
export type AllTexts = typeof en

const ALL: Readonly<Record<Language, AllTexts>> = { en, hi, kn, ta }

export function textsIn(language: Language): AllTexts {
  return ALL[language]
}

export type CheckoutTexts = AllTexts['checkout']
export type PaymentPageTexts = AllTexts['paymentPage']
export type ParentsTexts = AllTexts['parents']
export type PlanSetupTexts = AllTexts['planSetup']
export type LoanTexts = AllTexts['loan']

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
