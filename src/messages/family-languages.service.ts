import type { Queryable } from '../platform/db/database.ts'
import type { Language } from '../platform/languages.ts'
import * as store from './messages.store.ts'
import type { ChosenLanguage, FamilyKey } from './messages.store.ts'

export type { ChosenLanguage } from './messages.store.ts'

/**
 * The language in which each family is written to: what it chose on its pages, or the office for it, else the first
 * language of the school. A family is known by its phone number, however that is written.
 */
export async function languagesOf(db: Queryable, families: readonly FamilyKey[]): Promise<Language[]> {
  return families.length === 0 ? [] : store.readLanguages(db, families)
}

export async function languageOfFamily(db: Queryable, family: FamilyKey): Promise<Language> {
  const [language = 'en'] = await store.readLanguages(db, [family])
  return language
}

export async function findFamilyLanguage(db: Queryable, family: FamilyKey): Promise<ChosenLanguage | null> {
  return store.findChosen(db, family)
}

/** Null takes a choice back. */
export async function chooseFamilyLanguage(
  db: Queryable,
  family: FamilyKey,
  chosen: ChosenLanguage | null,
): Promise<void> {
  if (chosen === null) await store.deleteChosen(db, family)
  else await store.writeChosen(db, family, chosen)
}
