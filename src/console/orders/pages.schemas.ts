import { Type } from 'typebox'
import { field } from '../../http/wire/fields.ts'
import { field as inputField, ifSent, input } from '../../http/wire/input.ts'
import type { Shown } from '../../http/wire/output.ts'
import { pageChangeFields } from '../../payment-pages/page.input.ts'
import type { namedPageOutput } from '../../payment-pages/page.output.ts'
import { cursor } from './orders.schemas.ts'

/** What the console's operations on payment pages take beyond those of the API. */
export const ListPagesQuery = Type.Object({
  status: Type.Optional(
    field.oneOf(['published', 'unpublished'], { description: 'Only published ones, or only the others.' }),
  ),
  collector_code: Type.Optional(field.code({ description: 'Only of this branch.' })),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(cursor),
})

export const pageChangeInput = input({
  ...pageChangeFields,
  reason: ifSent(inputField.text('Why; stands in the audit log.', 'The fair is put off')),
})

export type PageAnswer = Shown<typeof namedPageOutput>
