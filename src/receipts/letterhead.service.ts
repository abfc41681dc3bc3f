import { findLogo, getSchool } from '../institutes/school/school.service.ts'
import type { Context } from '../platform/context.ts'

/** What stands below the school's name on a receipt or notice. */
export type Letterhead = {
  lines: readonly string[]
  color: string | null
  /** The picture, base64. */
  logo: string | null
}

const joined = (...parts: (string | null)[]): string => parts.filter(part => part !== null).join(' · ')

export async function readLetterhead(ctx: Pick<Context, 'db'>, instituteId: number): Promise<Letterhead> {
  const school = await getSchool(ctx, instituteId)
  const { logoTag: tag, color } = school
  const logo = tag === null ? null : await readLogo(ctx, instituteId, tag)
  const pan = school.pan === null ? null : `PAN ${school.pan}`
  const lines = [
    school.address ?? '',
    joined(school.phone, school.email),
    joined(school.affiliation, pan),
    school.receiptNote ?? '',
  ]
  return {
    lines: lines.filter(line => line !== ''),
    color,
    logo,
  }
}

/** Schools whose logos are kept; one that prints again is read again. */
const MAX_LOGOS = 100

/** Logos as letterheads have them, by the school and the tag, which changes with the picture. */
const kept = new Map<string, string>()

async function readLogo(ctx: Pick<Context, 'db'>, instituteId: number, tag: string): Promise<string | null> {
  const key = `${instituteId} ${tag}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const logo = await findLogo(ctx, { id: instituteId }, tag)
  if (logo === null) return null
  const text = logo.content.toString('base64')
  if (kept.size >= MAX_LOGOS) kept.delete([...kept.keys()][0] ?? '')
  kept.set(key, text)
  return text
}
