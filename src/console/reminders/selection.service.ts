import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { badField, conflict } from '../../platform/errors.ts'
import type { Query } from '../../platform/db/query.ts'
import { defaulterList } from '../reports/dues.list.ts'
import type { AskedDefaulters } from '../reports/dues.store.ts'
import { studentsReport, type WantedStudents } from '../students/students.service.ts'
import { listIds } from './selection.store.ts'

export type Selection = {
  studentIds?: readonly string[] | null | undefined
  list?: 'defaulters' | 'students' | null | undefined
} & Nullable<AskedDefaulters & Omit<WantedStudents, 'isOwing'> & { owing: 'yes' | 'no' }>

type Nullable<Fields> = { [Key in keyof Fields]?: Fields[Key] | null | undefined }

/** The ids of students that an act in bulk is for; only active ones of a list. */
export async function selectStudents(
  ctx: Context,
  institute: Institute,
  { studentIds, list, ...sent }: Selection,
  most: number,
): Promise<string[]> {
  if (studentIds !== null && studentIds !== undefined && studentIds.length > 0)
    return [...new Set(studentIds)]
  if (list === null || list === undefined)
    throw badField('student_ids', 'must name students, unless `list` says whose')
  const filters = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
  const query = await queryOf(ctx, institute, list, filters)
  const ids = query === null ? [] : await listIds(ctx.db, query, most + 1)
  if (ids.length > most) throw conflict(`Those are more than ${most} students. Choose a class or a branch.`)
  return ids
}

async function queryOf(
  ctx: Context,
  institute: Institute,
  list: 'defaulters' | 'students',
  { owing, ...filters }: Record<string, unknown>,
): Promise<Query | null> {
  if (list === 'defaulters') return defaulterList.all(ctx, institute, filters)
  const isOwing = owing === undefined ? undefined : owing === 'yes'
  return studentsReport(institute, { ...filters, status: 'active', isOwing }).query
}
