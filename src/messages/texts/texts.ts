import type { Language } from '../../platform/languages.ts'
import en from './en.json' with { type: 'json' }
import hi from './hi.json' with { type: 'json' }
import kn from './kn.json' with { type: 'json' }
import ta from './ta.json' with { type: 'json' }

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
