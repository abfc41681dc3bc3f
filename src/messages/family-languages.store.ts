import type { Queryable } from '../platform/db/database.ts'
import { institutesOf } from '../platform/db/query.ts'
import type { Language } from '../platform/languages.ts'

export type FamilyKey = { instituteId: number; phone: string }
export type ChosenLanguage = { language: Language; chosenBy: 'family' | 'office'; chosenAt: Date }

/** One for each, in their order: what was chosen, else the language of the institute, else English. */
export async function readLanguages(db: Queryable, families: readonly FamilyKey[]): Promise<Language[]> {
  const rows = await db.query<{ language: Language }>(
    `select coalesce(f.language, i.family_language, 'en') as language
     from unnest($1::int[], $2::text[]) with ordinality as asked (institute_id, phone, n)
     join institutes i on i.id = asked.institute_id
     left join family_languages f on f.institute_id = asked.institute_id and f.institute_id = any ($3::int[])
       and f.family = phone_key(asked.phone)
     order by asked.n`,
    [
      families.map(({ instituteId }) => instituteId),
      families.map(({ phone }) => phone),
      institutesOf(families),
    ],
  )
  return rows.map(({ language }) => language)
}

export async function findChosen(
  db: Queryable,
  { instituteId, phone }: FamilyKey,
): Promise<ChosenLanguage | null> {
  const [row] = await db.query<ChosenLanguage>(
    `select language, chosen_by as "chosenBy", chosen_at as "chosenAt" from family_languages
     where institute_id = $1 and family = phone_key($2)`,
    [instituteId, phone],
  )
  return row ?? null
}

export async function writeChosen(
  db: Queryable,
  { instituteId, phone }: FamilyKey,
  { language, chosenBy, chosenAt }: ChosenLanguage,
): Promise<void> {
  await db.query(
    `insert into family_languages (institute_id, family, language, chosen_by, chosen_at)
     values ($1, phone_key($2), $3, $4, $5) on conflict (institute_id, family) do update
       set language = excluded.language, chosen_by = excluded.chosen_by, chosen_at = excluded.chosen_at`,
    [instituteId, phone, language, chosenBy, chosenAt],
  )
}

export async function deleteChosen(db: Queryable, { instituteId, phone }: FamilyKey): Promise<void> {
  await db.query('delete from family_languages where institute_id = $1 and family = phone_key($2)', [
    instituteId,
    phone,
  ])
}
