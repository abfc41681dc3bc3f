import type { Institute } from '../../institutes/institutes.rules.ts'
import {
  chooseFamilyLanguage,
  findFamilyLanguage,
  languageOfFamily,
  type ChosenLanguage,
} from '../../messages/family-languages.service.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Language } from '../../platform/languages.ts'
import { getStudent } from '../students.service.ts'
import * as store from './users.store.ts'

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
