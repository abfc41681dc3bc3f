import { createHash } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badFields, notFound, badField } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Institute } from '../institutes.rules.ts'
import {
  LOGO_TYPE,
  plainDetails,
  schoolProblems,
  type IconSide,
  type Logo,
  type School,
  type SchoolChange,
} from './school.rules.ts'
import * as store from './school.store.ts'
import { ProcessFailure, ProcessPool } from '../../platform/process-pool/process-pool.ts'

export async function getSchool({ db }: Pick<Context, 'db'>, instituteId: number): Promise<School> {
  const school = (await readSchools(db, [instituteId])).get(instituteId)
  if (school === undefined) throw notFound('This school')
  return school
}

/** Schools by the id of the institute. */
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
  sent: SchoolChange,
): Promise<ChangedSchool> {
  const change = plainDetails(sent)
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
  const drawn = await drawLogo(id, content)
  const logo = { mediaType: LOGO_TYPE, content: Buffer.from(drawn.content) }
  const tag = createHash('sha256').update(logo.content).digest('base64url').slice(0, 22)
  return transact(ctx.db, command, async tx => {
    const before = await store.lockSchool(tx, id)
    if (before === null) throw notFound('This school')
    await store.writeLogo(tx, id, { ...logo, tag, icons: drawn.icons })
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

/** A square picture of it for a phone's home screen; null as above. */
export async function findIcon(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Institute, 'id'>,
  { tag, side }: { tag: string; side: IconSide },
): Promise<Buffer | null> {
  return store.findIcon(db, id, { tag, side })
}

type DrawnLogo = { content: Uint8Array; icons: Readonly<Record<IconSide, Uint8Array>> }
export type LogoDrawing = DrawnLogo | { problem: string }

/** A picture comes from a stranger: it is drawn once, here, so that no page, icon or receipt has to. */
const decoders = new ProcessPool<Uint8Array, LogoDrawing>(new URL('logo-process.ts', import.meta.url), {
  maxMs: 10_000,
  maxHeapMb: 64,
  processes: 1,
  maxWaiting: 3,
  idleMs: 0,
})

/** The picture as a plain small PNG with its icons; one that cannot be drawn is refused. */
async function drawLogo(instituteId: number, content: Buffer): Promise<DrawnLogo> {
  const drawing = await draw(instituteId, content)
  if ('problem' in drawing) throw badField('file', drawing.problem)
  return drawing
}

async function draw(instituteId: number, content: Buffer): Promise<LogoDrawing> {
  try {
    return await decoders.use(ask => ask(content), { share: instituteId, isUrgent: true })
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    return { problem: 'takes too long or too much memory to draw. Save it again as a smaller PNG' }
  }
}
