import { field, input, optional, query } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Holiday } from '../../payments/holidays.service.ts'

/** Institutes, branches, holidays and what was given up, as the operator looks after them. */
const reason = field.text('Why; stands in the audit log.', 'Asked by the school')
const name = field.text('As parents know it.', 'Green Park School')
const day = field.day('On which banks do not work.', '2030-01-26')
const MOST_BRANCHES = 100

const branch = input({
  collector_code: field.code('Code of the branch.', 'MAIN'),
  name: field.text('As parents know it.', 'Main branch'),
})

export const newInstituteInput = input({
  code: field.code('Lower-case letters, digits and hyphens; stays for good.', 'green-park'),
  name,
  branches: field.list('The first is the default one.', branch, { min: 1, max: MOST_BRANCHES }),
})

export const instituteParams = input({ code: field.code("The institute's code.", 'demo-school') })
export const renameInstituteInput = input({ name, reason })
export const newBranchInput = input({
  ...branch.fields,
  is_default: optional(field.flag('In place of the present default branch.', false), false),
})
export const defaultBranchInput = input({ collector_code: branch.fields.collector_code, reason })

export const listHolidaysQuery = query({
  limit: field.pageSize(),
  cursor: optional(field.day('`next_cursor` of the page before.', '2030-01-26')).as('after'),
})
export const newHolidayInput = input({ day, name: field.text('What it is.', 'Republic Day', 100), reason })
export const holidayParams = input({ day })
export const reasonInput = input({ reason })

export const messageParams = input({
  message_id: field.resourceId('Id of the message.', 'msg_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const created = outputOf<Pick<Institute, 'code'>>()
export const createdInstituteOutput = created.object({ code: created.text('Its code.', 'green-park') })

const holiday = outputOf<Holiday>()
export const holidayOutput = holiday.object({
  day: holiday.day('The day.', '2030-01-26'),
  name: holiday.text('What it is.', 'Republic Day'),
})

export type HolidayAnswer = Shown<typeof holidayOutput>
