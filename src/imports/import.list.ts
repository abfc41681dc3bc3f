import { defineRows, filter } from '../http/lists/define-rows.ts'
import { field } from '../http/wire/input.ts'
import { ERP_KINDS, IMPORT_STATES } from './imports.rules.ts'
import { IMPORT_ID } from './imports.schemas.ts'
import { IMPORTS, type Import } from './imports.service.ts'

/** Imports of the ERP's API, the newest first: ids sort by creation. */
export const importRows = defineRows({
  ...IMPORTS,
  cursor: IMPORT_ID,
  filters: {
    kind: filter(field.oneOf(ERP_KINDS, 'Only of this kind.'), { where: 'i.kind = $1' }),
    state: filter(field.oneOf(IMPORT_STATES, 'Only in this state.'), { where: 'i.state = $1' }),
  },
  scope: ({ id }: { id: number }) => [
    ['i.institute_id = $1', id],
    ['i.kind = any($1)', ERP_KINDS],
  ],
  order: ['id'],
  direction: 'desc',
  toRow: (row: Import) => row,
})
