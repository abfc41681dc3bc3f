import { feeReminderTemplates } from '../reminders/reminders.texts.ts'
import { linkTemplates } from '../orders/link-messages.texts.ts'
import { instalmentTemplates } from '../flex/notices/family.texts.ts'
import { signInTemplates } from '../portal/sign-in/sign-in.texts.ts'
import { familyPageTemplates } from '../students/users/family-page.texts.ts'
import { noticeTemplates } from '../payments/notices/notices.texts.ts'
import type { Template } from '../messages/messages.rules.ts'

/** Every short text that may leave the process. */
export function smsTemplates(): Template[] {
  return [
    ...instalmentTemplates(),
    ...linkTemplates(),
    ...feeReminderTemplates(),
    ...noticeTemplates(),
    ...signInTemplates(),
    ...familyPageTemplates(),
  ]
}

/** Names that no text has: what was meant by them goes out under another template, and no operator delivers it. */
export function unknownNames(templateIds: Readonly<Record<string, string>>): string[] {
  const known = new Set(smsTemplates().map(({ name }) => name))
  return Object.keys(templateIds).filter(name => !known.has(name))
}
