import type { Institute } from '../../institutes/institutes.rules.ts'
import { SECRET_PLACE, VARIABLE, type NewMessage, type Template } from '../../messages/messages.rules.ts'
import { fill, LANGUAGES, type Language } from '../../platform/languages.ts'
import { textsIn } from '../texts/texts.ts'
import { CODE_MINUTES, type Contact } from './sign-in.rules.ts'

type Text = Pick<NewMessage, 'channel' | 'recipient' | 'subject' | 'body' | 'template'>

const minutes = String(CODE_MINUTES)

/** The code itself stands in the text's line `{secret}`, and is put there when it is sent. */
export function codeMessage(contact: Contact, { name: where }: Institute, language: Language): Text {
  const { mailSubject, mail, sms } = textsIn(language).signIn.message
  const values = { where, minutes, secret: SECRET_PLACE }
  return 'email' in contact
    ? {
        channel: 'email',
        recipient: contact.email,
        subject: fill(mailSubject, values),
        body: mail.map(paragraph => fill(paragraph, values)).join('\n\n'),
      }
    : {
        channel: 'sms',
        recipient: contact.phone,
        body: sms.map(line => fill(line, values)).join('\n'),
        template: templateName(language),
      }
}

const templateName = (language: Language): string => `sign_in_code_${language}`

/** The short texts, as they are registered. */
export function signInTemplates(): Template[] {
  const values = { where: VARIABLE, minutes, secret: VARIABLE }
  return LANGUAGES.map(language => ({
    name: templateName(language),
    text: textsIn(language)
      .signIn.message.sms.map(line => fill(line, values))
      .join('\n'),
  }))
}
