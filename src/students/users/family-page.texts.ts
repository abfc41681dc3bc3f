import {
  VARIABLE,
  shortText,
  templatesOf,
  type NewMessage,
  type Template,
} from '../../messages/messages.rules.ts'
import { messageTextsIn } from '../../messages/texts/texts.ts'
import { fill, type Language } from '../../platform/languages.ts'

/** The message with the address of the parents' pages, which is the same for every family of a school. */
type Values = Record<'where' | 'who' | 'url', string>

export function familyPageTexts(
  values: Values,
  language: Language,
): Pick<NewMessage, 'subject' | 'body'> & { short: ReturnType<typeof shortText> } {
  const { subject, body } = messageTextsIn(language).familyPage
  const short = shortText('family_page', language, each =>
    fill(messageTextsIn(each).familyPage.short, values),
  )
  return { subject: fill(subject, values), body: fill(body, values), short }
}

/** The short texts, as they are registered. */
export function familyPageTemplates(): Template[] {
  const values = { where: VARIABLE, who: VARIABLE, url: VARIABLE }
  return templatesOf('family_page', language => fill(messageTextsIn(language).familyPage.short, values))
}
