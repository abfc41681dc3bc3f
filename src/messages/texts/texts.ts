import { fill, formatDayIn, type Language } from '../../platform/languages.ts'
import en from './en.json' with { type: 'json' }
import hi from './hi.json' with { type: 'json' }
import kn from './kn.json' with { type: 'json' }
import ta from './ta.json' with { type: 'json' }
import { dayOf, INDIA } from '../../platform/calendar.ts'
import { readableComponent } from '../../platform/names.ts'
import type { School } from '../../institutes/school/school.rules.ts'

/**
 * What families are told by mail and on the phone. `{x}` is a placeholder. The English file decides which texts there
 * are: another that lacks one does not compile. Each `short` is registered with DLT; a changed one is to be registered
 * again (`bursar sms templates`).
 */
export type MessageTexts = typeof en

const ALL: Readonly<Record<Language, MessageTexts>> = { en, hi, kn, ta }

export function messageTextsIn(language: Language): MessageTexts {
  return ALL[language]
}

/** Moments and names of fees in each language, for messages and pages alike. Digits stay Latin. */
const TIME = new Intl.DateTimeFormat('en-IN', {
  timeZone: INDIA,
  hour: 'numeric',
  minute: '2-digit',
  hourCycle: 'h23',
})

type DayPart = keyof MessageTexts['time']['parts']

/** 15 November 2026 at 9:30 am IST; 15 नवंबर 2026 को सुबह 9:30 बजे. */
export function localMoment(moment: Date, language: Language): string {
  const { moment: pattern, parts } = messageTextsIn(language).time
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

/**
 * TUITION_FEE becomes Tuition fee or its usual name in the language, also with the term that a fee structure adds;
 * unknown codes stay as the institute wrote them.
 */
export function feeName(code: string, language: Language): string {
  const { fees, feeOfTerm } = messageTextsIn(language)
  if (Object.hasOwn(fees, code)) return fees[code as keyof typeof fees]
  const [, head = '', number = ''] = /^(.+)_TERM_(\d+)$/.exec(code) ?? []
  if (!Object.hasOwn(fees, head)) return readableComponent(code)
  return fill(feeOfTerm, { fee: fees[head as keyof typeof fees], number })
}

/** A text in the language of the family with the English one beside it, for papers that the office reads too. */
export function besideEnglish(write: (language: Language) => string, language: Language): string {
  const [own, english] = [write(language), write('en')]
  return own === english ? own : `${own} / ${english}`
}

type Paper = 'receipt' | 'demandNotice' | 'feeCertificate' | 'noDues' | 'refundVoucher'

/** What a paper says beside its figures and names, with placeholders as they are. */
export function paperWords<Kind extends Paper>(paper: Kind, language: Language): MessageTexts[Kind] {
  const keys = Object.keys(ALL.en[paper]) as (keyof MessageTexts[Kind])[]
  const words = keys.map(key => [key, besideEnglish(each => ALL[each][paper][key] as string, language)])
  return Object.fromEntries(words) as MessageTexts[Kind]
}

export function receiptWords(language: Language): MessageTexts['receipt'] {
  return paperWords('receipt', language)
}

/** A sentence of such a paper; its values are in each language's own form. */
export function paperText(
  write: (texts: MessageTexts) => string,
  values: (language: Language) => Record<string, string>,
  language: Language,
): string {
  return besideEnglish(each => fill(write(ALL[each]), values(each)), language)
}

/** The name of a fee on such a paper. */
export function feeOnPaper(code: string, language: Language): string {
  return besideEnglish(each => feeName(code, each), language)
}

/** Each once, in their order. */
export function feeNames(codes: readonly string[], language: Language): string {
  return [...new Set(codes.map(code => feeName(code, language)))].join(', ')
}

/** Why money went back by itself. */
export type RefundCause = keyof MessageTexts['refunded']['why']

export function whyRefunded(cause: RefundCause | null, language: Language): string {
  return cause === null ? '' : messageTextsIn(language).refunded.why[cause]
}

/** What a mail says of the school that sends it. */
export type Signatory = Pick<School, 'name' | 'address' | 'phone' | 'email'>

/**
 * Who a mail is to and in which language: it gets a greeting, a way to ask and the school's address, which is read unless
 * it is given.
 */
export type Addressee = { name: string; language: Language; from?: Signatory }

/** The body between greeting and signature. */
export function writeLetter(body: string, { name, language }: Addressee, school: Signatory): string {
  const { letter } = messageTextsIn(language)
  const { phone, email, address } = school
  const [first, second] = [
    ...(phone === null ? [] : [fill(letter.phone, { phone })]),
    ...(email === null ? [] : [fill(letter.email, { email })]),
  ]
  const both = second === undefined ? first : fill(letter.either, { first: first ?? '', second })
  const ways = both ?? fill(letter.none, { school: school.name })
  const signature = [school.name, ...(address === null ? [] : [address])].join('\n')
  return [fill(letter.greeting, { name }), body, fill(letter.ask, { ways }), signature].join('\n\n')
}
