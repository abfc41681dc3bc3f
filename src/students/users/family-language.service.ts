import type { Institute } from '../../institutes/institutes.rules.ts'
import {
  chooseFamilyLanguage,
  findFamilyLanguage,
  languageOfFamily,
  type ChosenLanguage,
  countMessagesAbout,
  queueMessages,
} from '../../messages/messages.service.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Language } from '../../platform/languages.ts'
import { getStudent } from '../students.service.ts'
import * as store from './users.store.ts'
import { familyPageUrl } from '../../institutes/institutes.service.ts'
import { internationalNumber, type NewMessage } from '../../messages/messages.rules.ts'
import { isEmail } from '../../platform/names.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { familyPageTexts } from './family-page.texts.ts'
import { DAY_MS } from '../../platform/calendar.ts'

type FamilyOf = { institute: Institute; studentId: string }

/** What was chosen for a family, and what it is written to in. */
export type FamilyLanguage = { chosen: ChosenLanguage | null; writtenIn: Language }

export async function getFamilyLanguage(ctx: Context, target: FamilyOf): Promise<FamilyLanguage> {
  return readFamilyLanguage(ctx.db, await familyOf(ctx, target))
}

/** The office chooses; null leaves it to the school's first language. */
export async function setFamilyLanguage(
  ctx: Context,
  command: Command<FamilyLanguage>,
  target: FamilyOf,
  language: Language | null,
): Promise<FamilyLanguage> {
  const family = await familyOf(ctx, target)
  const chosenAt = ctx.clock.now()
  return transact(ctx.db, command, async tx => {
    const chosen = language === null ? null : { language, chosenBy: 'office' as const, chosenAt }
    await chooseFamilyLanguage(tx, family, chosen)
    return readFamilyLanguage(tx, family)
  })
}

/** A parent chose on the pages: all children of the parent are written about in it. */
export async function rememberLanguage(
  ctx: Pick<Context, 'db' | 'clock'>,
  user: store.ParentKey,
  language: Language,
): Promise<void> {
  const chosen = { language, chosenBy: 'family' as const, chosenAt: ctx.clock.now() }
  const { instituteId } = user
  for (const phone of await store.listContactNumbers(ctx.db, user))
    await chooseFamilyLanguage(ctx.db, { instituteId, phone }, chosen)
}

type Family = { instituteId: number; phone: string }

async function familyOf(ctx: Context, { institute, studentId }: FamilyOf): Promise<Family> {
  const { student } = await getStudent(ctx, institute, studentId)
  return { instituteId: institute.id, phone: student.contactNumber }
}

async function readFamilyLanguage(db: Queryable, family: Family): Promise<FamilyLanguage> {
  const chosen = await findFamilyLanguage(db, family)
  return { chosen, writtenIn: await languageOfFamily(db, family) }
}

export const FAMILY_PAGE_CHANNELS = ['email', 'sms'] as const
type Channel = (typeof FAMILY_PAGE_CHANNELS)[number]

const MOST_A_DAY = 4

export type SentPage = { recipients: string[] }

/** Sends the primary contact of a student the address where a code opens the family's pages. */
export async function sendFamilyPage(
  ctx: Context,
  command: Command<SentPage>,
  { institute, studentId }: { institute: Institute; studentId: string },
  channels: readonly Channel[],
): Promise<SentPage> {
  if (!institute.hasParentSignIn)
    throw conflict('Parents cannot sign in with a code yet: an owner allows it under Settings, Families.')
  const { student } = await getStudent(ctx, institute, studentId)
  const { contactName, contactNumber, contactEmail, fullname } = student
  if (channels.includes('sms') && internationalNumber(contactNumber) === null)
    throw badField('channels', `cannot include sms: ${contactNumber} is no number that takes messages`)
  if (channels.includes('email') && !isEmail(contactEmail))
    throw badField('channels', 'cannot include email: the family has no e-mail address here')
  const language = await languageOfFamily(ctx.db, { instituteId: institute.id, phone: contactNumber })
  const values = { where: institute.name, who: fullname, url: familyPageUrl(ctx, institute) }
  const { subject, body, short } = familyPageTexts(values, language)
  const at = ctx.clock.now()
  const common = { instituteId: institute.id, about: studentId, at }
  const messages = channels.map((channel): NewMessage =>
    channel === 'email'
      ? { ...common, channel, recipient: contactEmail, subject, body, to: { name: contactName, language } }
      : { ...common, channel, recipient: contactNumber, ...short },
  )
  return transact(ctx.db, command, async tx => {
    const since = new Date(at.getTime() - DAY_MS)
    const earlier = await countMessagesAbout(tx, institute.id, { about: studentId, since })
    if (earlier + channels.length > MOST_A_DAY)
      throw conflict(
        `${earlier} messages about this student left within a day. Wait until tomorrow, or call.`,
      )
    await queueMessages(tx, messages)
    return { recipients: messages.map(message => `${message.channel} ${message.recipient}`) }
  })
}
