import { Table } from '../platform/db/table.ts'
import type { Branch, Institute } from './institutes.rules.ts'

const institutes = new Table<Omit<Institute, 'branches'>>('institutes', {
  id: 'int',
  code: 'text',
  name: 'text',
  strictCatalogue: 'boolean',
  color: 'text',
  logoTag: 'text',
  familyLanguage: 'text',
  hasParentSignIn: 'boolean',
  hasPoster: 'boolean',
  locksErpStudents: 'boolean',
})

export const branches = new Table<Branch & { instituteId: number }>('branches', {
  instituteId: 'int',
  collectorCode: 'text',
  name: 'text',
  isDefault: 'boolean',
})

const BRANCHES = `(select coalesce(json_agg(${branches.json('b', ['collectorCode', 'name', 'isDefault'])}
     order by b.created_at, b.collector_code), '[]')
   from branches b where b.institute_id = i.id)`

/** An institute with its branches as one row. */
export const INSTITUTE_COLUMNS = `${institutes.columns('i')}, ${BRANCHES} as branches`

/** The same as one value, beside what else a statement answers. */
export const INSTITUTE_JSON = institutes.json('i', undefined, { branches: BRANCHES })
