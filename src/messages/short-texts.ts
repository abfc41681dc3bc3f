import { LANGUAGES, type Language } from '../platform/languages.ts'
import type { NewMessage, Template } from './messages.rules.ts'

/** Writes a text to a phone; everything in it that depends on the language is written in it. */
type Write = (language: Language) => string

/** A text to a phone, with the name it is registered under, and in English for where its language is not. */
export function shortText(
  name: string,
  language: Language,
  write: Write,
): Pick<NewMessage, 'body' | 'template' | 'inEnglish'> {
  const template = `${name}_${language}`
  return language === 'en'
    ? { body: write('en'), template }
    : { body: write(language), template, inEnglish: write('en') }
}

/** As it is registered in each language. */
export function templatesOf(name: string, write: Write): Template[] {
  return LANGUAGES.map(language => ({ name: `${name}_${language}`, text: write(language) }))
}
