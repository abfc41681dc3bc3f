import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { listKeys } from '../../platform/db/sorted-list.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { defaulterList } from '../reports/dues.list.ts'
import type { AskedDefaulters } from '../reports/dues.store.ts'
import { studentList, type StudentFilterValues } from '../students/student.list.ts'

export type Selection = {
  studentIds?: readonly string[] | null | undefined
  list?: 'defaulters' | 'students' | null | undefined
} & Nullable<AskedDefaulters & StudentFilterValues>

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
  const shown = list === 'defaulters' ? defaulterList : studentList
  const query = await shown.all(ctx, institute, { ...filters, status: 'active' })
  const ids = query === null ? [] : await listKeys(ctx.db, query, shown.sorting, most)
  if (ids.length > most) throw conflict(`Those are more than ${most} students. Choose a class or a branch.`)
  return ids
}
