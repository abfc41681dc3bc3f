import { readableComponent } from '../platform/names.ts'
import type { Payment } from '../payments/payments.rules.ts'
import { formatMoment, INDIA } from '../platform/calendar.ts'
import { TEXTS, type Language, type Texts } from './checkout/checkout.texts.ts'

/** Dates, failure reasons and fee names in each language. Digits stay Latin. */
const HINDI = 'hi-IN-u-nu-latn'
const HINDI_DAY = new Intl.DateTimeFormat(HINDI, {
  timeZone: INDIA,
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})
const HINDI_TIME = new Intl.DateTimeFormat(HINDI, {
  timeZone: INDIA,
  hour: 'numeric',
  minute: '2-digit',
  dayPeriod: 'short',
})

/** 15 November 2026 at 9:30 am IST; 15 नवंबर 2026 को सुबह 9:30 बजे. */
export function localMoment(moment: Date, language: Language): string {
  if (language === 'en') return formatMoment(moment)
  return `${HINDI_DAY.format(moment)} को ${HINDI_TIME.format(moment)} बजे`
}

/** Why a payment failed: our text for known codes, else the provider's message, which is English only. */
export function failureText(payment: Payment, language: Language): string {
  const { failureCode: code, failureMessage: message } = payment
  const why: Texts['why'] = TEXTS[language].why
  if (code !== null && Object.hasOwn(why, code)) return why[code as keyof Texts['why']]
  const theirs = language === 'en' ? (message ?? '').trim() : ''
  if (theirs === '') return why.other
  return /[.!?]$/.test(theirs) ? theirs : `${theirs}.`
}

const HINDI_FEES: Record<string, string> = {
  TUITION_FEE: 'ट्यूशन फ़ीस',
  TRANSPORT_FEE: 'परिवहन शुल्क',
  BUS_FEE: 'बस शुल्क',
  ADMISSION_FEE: 'प्रवेश शुल्क',
  REGISTRATION_FEE: 'पंजीकरण शुल्क',
  EXAM_FEE: 'परीक्षा शुल्क',
  HOSTEL_FEE: 'छात्रावास शुल्क',
  LIBRARY_FEE: 'पुस्तकालय शुल्क',
  LAB_FEE: 'प्रयोगशाला शुल्क',
  SPORTS_FEE: 'खेल शुल्क',
  ACTIVITY_FEE: 'गतिविधि शुल्क',
  ANNUAL_FEE: 'वार्षिक शुल्क',
  LATE_FEE: 'विलंब शुल्क',
  // Concession codes share the namespace.
  SCHOLARSHIP: 'छात्रवृत्ति',
  CONCESSION: 'छूट',
  SIBLING_CONCESSION: 'भाई-बहन की छूट',
  SIBLING_DISCOUNT: 'भाई-बहन की छूट',
  STAFF_CONCESSION: 'कर्मचारी छूट',
}

/** TUITION_FEE becomes Tuition fee or its usual Hindi name; unknown codes stay as the institute wrote them. */
export function feeName(code: string, language: Language): string {
  const known = language === 'hi' && Object.hasOwn(HINDI_FEES, code) ? HINDI_FEES[code] : undefined
  return known ?? readableComponent(code)
}
