import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Holiday } from '../../payments/holidays.service.ts'

const created = outputOf<Pick<Institute, 'code'>>()
export const createdInstituteOutput = created.object({ code: created.text('Its code.', 'green-park') })

const holiday = outputOf<Holiday>()
export const holidayOutput = holiday.object({
  day: holiday.day('The day.', '2030-01-26'),
  name: holiday.text('What it is.', 'Republic Day'),
})

export type HolidayAnswer = Shown<typeof holidayOutput>
