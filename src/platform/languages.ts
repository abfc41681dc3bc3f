/** The languages that families read; each has its texts in JSON files that a translator can edit. */
export const LANGUAGES = ['en', 'hi', 'kn', 'ta'] as const
export type Language = (typeof LANGUAGES)[number]

export function isLanguage(text: unknown): text is Language {
  return (LANGUAGES as readonly unknown[]).includes(text)
}

/** Replaces `{x}` by the value of that name. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** A text with a form for each plural category of its language; those named here are all that ours have. */
export type Plural = { one: string; other: string }

export function plural(forms: Plural, count: number, language: Language): string {
  return forms[new Intl.PluralRules(language).select(count) === 'one' ? 'one' : 'other']
}

const dayFormat = (language: Language): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(`${language}-IN-u-nu-latn`, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })

const DAY_FORMATS: Readonly<Record<Language, Intl.DateTimeFormat>> = {
  en: dayFormat('en'),
  hi: dayFormat('hi'),
  kn: dayFormat('kn'),
  ta: dayFormat('ta'),
}

/** 15 November 2026, 15 ನವೆಂಬರ್ 2026: in this order in every language, digits stay Latin. */
export function formatDayIn(day: string, language: Language): string {
  const parts = DAY_FORMATS[language].formatToParts(new Date(`${day}T00:00:00Z`))
  const part = (type: string): string => parts.find(one => one.type === type)?.value ?? ''
  return `${part('day')} ${part('month')} ${part('year')}`
}
