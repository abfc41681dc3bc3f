import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Branch, Institute } from '../../institutes/institutes.rules.ts'
import type { Holiday } from '../../payments/holidays.service.ts'
import type { InstituteRow } from './operator.service.ts'

const branch = outputOf<Branch>()
const branchOutput = branch.object({
  collector_code: branch.text('Its code.', 'MAIN'),
  name: branch.text('As parents know it.', 'Main branch'),
  is_default: branch.flag('The branch of everything that names none.', true),
})

const out = outputOf<InstituteRow>()
export const instituteOutput = out.object({
  code: out.text('Its code.', 'demo-school'),
  name: out.text('Its name.', 'Demo School'),
  strict_catalogue: out.flag('Whether codes outside its catalogue are refused.', false),
  created_at: out.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'),
  branches: out.list('Where it collects.', branchOutput),
  active_keys: out.integer('API keys that work.', 1),
  people: out.integer('People who work in it at the console.', 4),
})

const created = outputOf<Pick<Institute, 'code'>>()
export const createdInstituteOutput = created.object({ code: created.text('Its code.', 'green-park') })

const holiday = outputOf<Holiday>()
export const holidayOutput = holiday.object({
  day: holiday.day('The day.', '2030-01-26'),
  name: holiday.text('What it is.', 'Republic Day'),
})

export type InstituteAnswer = Shown<typeof instituteOutput>
export type HolidayAnswer = Shown<typeof holidayOutput>
