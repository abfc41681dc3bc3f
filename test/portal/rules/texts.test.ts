import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableComponent } from '../../../src/platform/names.ts'
import { formatMoment } from '../../../src/platform/calendar.ts'
import { LANGUAGES, type Language } from '../../../src/platform/languages.ts'
import { reasonIn } from '../../../src/flex/notices/family.texts.ts'
import { codesOf, meaningOf } from '../../../src/flex/rules/returns.rules.ts'
import { feeName, localMoment, messageTextsIn } from '../../../src/messages/texts/texts.ts'
import { chooseLanguage, textsIn } from '../../../src/portal/texts/texts.ts'

/** Every text with the path of its keys. */
function flatten(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  return Object.entries(value as object).flatMap(([key, inner]) => flatten(inner, `${path}/${key}`))
}

/** What pages say, and what messages say. */
const everything = (language: Language) => ({ pages: textsIn(language), messages: messageTextsIn(language) })
const english = new Map(flatten(everything('en')))
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].toSorted()
const others = LANGUAGES.filter(language => language !== 'en')

/** Problems that a translator's file can have, compared with the English one. */
function problemsOf(texts: Map<string, string>, language: Language): string[] {
  const missing = [...english.keys()].filter(path => !texts.has(path)).map(path => `missing: ${path}`)
  const unknown = [...texts.keys()].filter(path => !english.has(path)).map(path => `unknown: ${path}`)
  const wrong = [...texts].flatMap(([path, text]) => {
    const wanted = placeholders(english.get(path) ?? '').join()
    // "one month late" needs no figure, "{days} days late" does.
    const isOne = path.endsWith('/one')
    const given = placeholders(text).join()
    if (text.trim() !== text || text === '') return [`empty or with spaces around it: ${path}`]
    return given === wanted || isOne ? [] : [`placeholders ${given}, not ${wanted}: ${path}`]
  })
  const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  const forms = categories.filter(one => one !== 'one' && one !== 'other').map(one => `plural form ${one}`)
  return [...missing, ...unknown, ...wrong, ...forms]
}

test('a missing text, an unknown one and a changed placeholder are found', () => {
  const texts = new Map(english)
  texts.delete('/pages/front/title')
  texts.set('/pages/front/tilte', 'Fees')
  texts.set('/pages/checkout/pay', 'Pay {sum}')
  assert.deepEqual(problemsOf(texts, 'en'), [
    'missing: /pages/front/title',
    'unknown: /pages/front/tilte',
    'placeholders {sum}, not {amount}: /pages/checkout/pay',
  ])
})

for (const language of others) {
  test(`the texts in ${language} have every key, placeholder and plural form of the English ones`, () => {
    assert.deepEqual(problemsOf(new Map(flatten(everything(language))), language), [])
  })
}

/** Texts that are the same in every language: patterns, and names that are written in Latin letters. */
const isTranslated = (language: Language, text: string): boolean => {
  const letters = text.replaceAll(/\{\w+\}/g, '').replaceAll(/[^\p{L}]/gu, '')
  const script: Record<Language, RegExp> = {
    en: /\p{Script=Latin}/u,
    hi: /\p{Script=Devanagari}/u,
    kn: /\p{Script=Kannada}/u,
    ta: /\p{Script=Tamil}/u,
  }
  return letters === '' || script[language].test(letters)
}

for (const language of LANGUAGES) {
  test(`each text in ${language} is in its own script`, () => {
    const foreign = flatten(everything(language)).filter(([, text]) => !isTranslated(language, text))
    assert.deepEqual(foreign, [])
  })
}

test('the English names of fees and times of day are those of mails and receipts', () => {
  for (const code of Object.keys(messageTextsIn('en').fees)) {
    assert.equal(feeName(code, 'en'), readableComponent(code))
    assert.equal(feeName(`${code}_TERM_2`, 'en'), readableComponent(`${code}_TERM_2`))
  }
  for (let hour = 0; hour < 24; hour++) {
    const moment = new Date(Date.UTC(2026, 10, 15, hour, 7))
    assert.equal(localMoment(moment, 'en'), formatMoment(moment))
  }
})

test('the fee of a term has the usual name of the fee in each language', () => {
  assert.equal(feeName('TUITION_FEE_TERM_1', 'kn'), 'ಬೋಧನಾ ಶುಲ್ಕ, ಅವಧಿ 1')
  assert.equal(feeName('ROBOTICS_TERM_1', 'kn'), 'Robotics term 1')
})

const at = (iso: string, language: Language): string => localMoment(new Date(iso), language)

test('dates stand as day, month, year with the part of the day, digits Latin', () => {
  assert.equal(at('2026-11-15T04:00:00Z', 'hi'), '15 नवंबर 2026 को सुबह 9:30 बजे')
  assert.equal(at('2026-11-15T09:30:00Z', 'kn'), '15 ನವೆಂಬರ್ 2026, ಮಧ್ಯಾಹ್ನ 3:00')
  assert.equal(at('2026-11-15T14:30:00Z', 'ta'), '15 நவம்பர் 2026, இரவு 8:00 மணி')
})

test('the payer’s choice comes before the institute’s language, and that before the browser’s', () => {
  assert.equal(chooseLanguage('en', 'hi', 'hi'), 'en')
  assert.equal(chooseLanguage(undefined, 'hi', 'en'), 'hi')
  assert.equal(chooseLanguage('xx', null, 'fr, hi-IN;q=0.8'), 'hi')
  assert.equal(chooseLanguage(undefined, null, undefined), 'en')
})

test('each reason for which a debit can come back has words in each language', () => {
  const reasons = [...codesOf('enach'), ...codesOf('upi_autopay'), 'abandoned'].map(
    code => meaningOf(code).message,
  )
  for (const language of others)
    for (const reason of reasons) assert.notEqual(reasonIn(language, reason), '', `${language}: ${reason}`)
})
