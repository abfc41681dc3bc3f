import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'

/** Institutes, branches and holidays, as the operator looks after them. */
const reason = field.text({ description: 'Why; stands in the audit log.', examples: ['Asked by the school'] })
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const limit = Type.Optional(field.pageSize())

const BranchView = Type.Object({
  collector_code: shown.text({ description: 'Its code.' }),
  name: shown.text({ description: 'As parents know it.' }),
  is_default: shown.flag({ description: 'The branch of whatever names none.' }),
})

export const InstitutesQuery = Type.Object({
  search: Type.Optional(field.code({ description: 'Part of the code or the name.' })),
  limit,
  cursor: Type.Optional(field.code({ description: '`next_cursor` of the page before.' })),
})

export const InstituteView = Type.Object({
  code: shown.text({ description: 'Its code.' }),
  name: shown.text({ description: 'Its name.' }),
  strict_catalogue: shown.flag({ description: 'Whether codes outside its catalogue are refused.' }),
  created_at: shown.moment({ description: 'When it was made, UTC.' }),
  branches: Type.Array(BranchView),
  active_keys: count('API keys that work.'),
  people: count('People who work in it at the console.'),
})

const branchFields = {
  collector_code: field.code({ description: 'Code of the branch.', examples: ['MAIN'] }),
  name: field.text({ description: 'As parents know it.', examples: ['Main branch'] }),
}
const MOST_BRANCHES = 100

export const NewInstituteBody = Type.Object({
  code: field.code({
    description: 'Lower-case letters, digits and hyphens; stays for good.',
    examples: ['green-park'],
  }),
  name: field.text({ description: 'As parents know it.', examples: ['Green Park School'] }),
  branches: Type.Array(Type.Object(branchFields), {
    description: 'The first is the default one.',
    minItems: 1,
    maxItems: MOST_BRANCHES,
  }),
})

export const InstituteParams = Type.Object({
  code: field.code({ description: "The institute's code.", examples: ['demo-school'] }),
})

export const RenameBody = Type.Object({
  name: field.text({ description: 'As parents know it.', examples: ['Green Park School'] }),
  reason,
})

export const NewBranchBody = Type.Object({
  ...branchFields,
  is_default: Type.Optional(
    field.flag({ description: 'In place of the present default branch.', examples: [false] }),
  ),
})

export const DefaultBranchBody = Type.Object({ collector_code: branchFields.collector_code, reason })

export const HolidaysQuery = Type.Object({
  limit,
  cursor: Type.Optional(field.day({ description: '`next_cursor` of the page before.' })),
})

export const HolidayView = Type.Object({
  day: shown.day({ description: 'The day.' }),
  name: shown.text({ description: 'What it is.' }),
})

export const NewHolidayBody = Type.Object({
  day: field.day({ description: 'On which banks do not work.', examples: ['2030-01-26'] }),
  name: field.text({ description: 'What it is.', examples: ['Republic Day'] }, 100),
  reason,
})

export const HolidayParams = Type.Object({
  day: field.day({ description: 'The day, YYYY-MM-DD.', examples: ['2030-01-26'] }),
})
export const RemoveHolidayBody = Type.Object({ reason })

export type InstituteAnswer = Static<typeof InstituteView>
export type HolidayAnswer = Static<typeof HolidayView>
