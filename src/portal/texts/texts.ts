import type { Language } from '../../platform/languages.ts'
import en from './en.json' with { type: 'json' }
import hi from './hi.json' with { type: 'json' }
import kn from './kn.json' with { type: 'json' }
import ta from './ta.json' with { type: 'json' }

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
