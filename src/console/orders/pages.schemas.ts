import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/fields.ts'
import { PageView, UpdatePageBody } from '../../payment-pages/pages.schemas.ts'
import { cursor, reason } from './orders.schemas.ts'

/** What the console's operations on payment pages take beyond those of the API. */
export const ListPagesQuery = Type.Object({
  status: Type.Optional(
    field.oneOf(['published', 'unpublished'], { description: 'Only published ones, or only the others.' }),
  ),
  collector_code: Type.Optional(field.code({ description: 'Only of this branch.' })),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(cursor),
})

export const ChangePageBody = Type.Object({
  ...UpdatePageBody.properties,
  reason: Type.Optional(reason),
})

export const PageFileView = Type.Object({
  ...PageView.properties,
  branch: shown.text({ description: 'Name of the branch that is paid.' }),
})
export type PageAnswer = Static<typeof PageFileView>
