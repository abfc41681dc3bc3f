import { messageTextsIn, type MessageTexts } from '../../messages/texts/texts.ts'
import type { Language } from '../../platform/languages.ts'

type ReasonName = keyof MessageTexts['reasons']

const NAMES = new Map(
  Object.entries(messageTextsIn('en').reasons).map(([name, text]) => [text, name as ReasonName]),
)

/**
 * Reasons are written down in English, and a family is told them in its language. One of one plan alone, such as two
 * amounts, has no words there: the message does without it.
 */
export function reasonIn(language: Language, reason: string): string {
  if (language === 'en') return reason
  const name = NAMES.get(reason)
  return name === undefined ? '' : messageTextsIn(language).reasons[name]
}
