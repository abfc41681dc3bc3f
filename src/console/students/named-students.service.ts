import { listNamedStudents } from '../../banking/statements/decide.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { studentList } from './student.list.ts'
import type { ListedStudent } from './students.store.ts'

const MOST_YEARS = 20

/** Whom a line of a bank statement may be for, as the list of students shows them. */
export async function readNamedStudents(
  ctx: Context,
  institute: Institute,
  lineId: string,
): Promise<ListedStudent[]> {
  const named = await listNamedStudents(ctx, institute, lineId)
  const found = named.map(async ({ id, identifier }) => {
    const wanted = { typed: identifier, status: 'active' as const }
    const { rows } = await studentList.page(ctx, institute, wanted, { limit: MOST_YEARS })
    return rows.filter(row => row.id === id)
  })
  return (await Promise.all(found)).flat()
}
