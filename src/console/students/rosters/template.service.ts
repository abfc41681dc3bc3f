import { listEntries } from '../../../institutes/catalogue.service.ts'
import type { Institute } from '../../../institutes/institutes.rules.ts'
import type { Context } from '../../../platform/context.ts'
import { makeXlsx } from '../../reports/xlsx.ts'
import { day, money, text, type Column } from '../../reports/reports.rules.ts'

const TITLES = [
  'Admission No',
  'Student Name',
  'Class',
  'Section',
  'Father Name',
  'Mother Name',
  'Mobile',
  'Email',
] as const

/** More columns than these nobody fills in by hand. */
const MOST_FEES = 12

/** An empty list of students with the school's own fees as columns, and its classes as they have to be written. */
export async function makeTemplate(ctx: Context, institute: Institute): Promise<Buffer> {
  const grades = await listEntries(ctx, institute, 'grade')
  const fees = (await listEntries(ctx, institute, 'component')).slice(0, MOST_FEES)
  const columns: Column<never>[] = [
    ...TITLES.map(title => text<never>(title, () => null)),
    day('Date of Birth', () => null),
    ...fees.map(({ name, code }) => money<never>(name || code, () => null)),
  ]
  const lists = {
    name: 'Classes',
    columns: [{ title: 'Class', values: grades.map(({ code }) => code) }],
  }
  return makeXlsx(institute.id, 'Students', columns, [], lists)
}
