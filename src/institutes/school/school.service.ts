import { createHash } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badFields, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Institute } from '../institutes.rules.ts'
import { makePlainLogo } from './logo.ts'
import { LOGO_TYPE, schoolProblems, type Logo, type School, type SchoolChange } from './school.rules.ts'
import * as store from './school.store.ts'

export async function getSchool({ db }: Pick<Context, 'db'>, instituteId: number): Promise<School> {
  const school = (await readSchools(db, [instituteId])).get(instituteId)
  if (school === undefined) throw notFound('This school')
  return school
}

/** By the id of the institute. */
export async function readSchools(db: Queryable, ids: readonly number[]): Promise<Map<number, School>> {
  const rows = await store.findSchools(db, [...new Set(ids)])
  return new Map(rows.map(({ id, ...school }) => [id, school]))
}

export type ChangedSchool = { before: School; after: School }

/** Replaces all of it but the logo, which is a file. */
export async function changeSchool(
  { db }: Context,
  command: Command<ChangedSchool>,
  { id }: Institute,
  change: SchoolChange,
): Promise<ChangedSchool> {
  const problems = schoolProblems(change)
  if (problems.length > 0) throw badFields(problems)
  return transact(db, command, async tx => {
    const before = await store.lockSchool(tx, id)
    if (before === null) throw notFound('This school')
    await store.updateSchool(tx, id, change)
    return { before, after: { ...change, logoTag: before.logoTag } }
  })
}

export async function setLogo(
  ctx: Context,
  command: Command<School>,
  { id }: Institute,
  content: Buffer,
): Promise<School> {
  const logo = { mediaType: LOGO_TYPE, content: await makePlainLogo(id, content) }
  const tag = createHash('sha256').update(logo.content).digest('base64url').slice(0, 22)
  return transact(ctx.db, command, async tx => {
    const before = await store.lockSchool(tx, id)
    if (before === null) throw notFound('This school')
    await store.writeLogo(tx, id, { ...logo, tag })
    return { ...before, logoTag: tag }
  })
}

export async function removeLogo(
  { db }: Context,
  command: Command<School>,
  { id }: Institute,
): Promise<School> {
  return transact(db, command, async tx => {
    const before = await store.lockSchool(tx, id)
    if (before === null || before.logoTag === null) throw notFound('A logo of this school')
    await store.deleteLogo(tx, id)
    return { ...before, logoTag: null }
  })
}

/** Null when the school has another one by now, or none. */
export async function findLogo(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Institute, 'id'>,
  tag: string,
): Promise<Logo | null> {
  return store.findLogo(db, id, tag)
}
