import { Type } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { FORMATS } from '../reports/reports.rules.ts'

/** What the money lists share. */
export const paging = {
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
}

export const format = field.oneOf(FORMATS, { description: 'The kind of file.' })

export const branch = Type.Optional(field.code({ description: 'Only of this branch.', examples: ['MAIN'] }))

export const signedAmount = (description: string) => Type.Number({ description, examples: [123456.5] })
export const amount = (description: string) => shown.amount({ description, examples: [123456.5] })
export const count = (description: string) => Type.Integer({ description, minimum: 0 })
export const text = (description: string, ...examples: string[]) =>
  shown.text({ description, ...(examples.length === 0 ? {} : { examples }) })
export const maybe = (description: string, ...examples: string[]) =>
  Type.Optional(text(description, ...examples))

export const Sum = (what: string) =>
  Type.Object({ amount: signedAmount(`${what}, in rupees.`), count: count(`${what}: how many.`) })
