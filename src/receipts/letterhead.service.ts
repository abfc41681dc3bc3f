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
  const logo = tag === null ? null : await findLogo(ctx, { id: instituteId }, tag)
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
    logo: logo?.content.toString('base64') ?? null,
  }
}
