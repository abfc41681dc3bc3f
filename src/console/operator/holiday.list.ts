import { column, defineList } from '../../http/lists/define-list.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { parseDay } from '../../platform/calendar.ts'
import { badCursor } from '../../platform/db/list.ts'
import { listHolidays } from '../../payments/holidays.service.ts'

const out = outputOf<never>()

/** Bank holidays from a year back on, the earliest first; a cursor is a day. */
export const holidayList = defineList({
  file: 'holidays',
  title: 'Holidays',
  noun: ['holiday', 'holidays'],
  columns: {
    day: column(out.day('The day.', '2030-01-26'), { title: 'Day' }),
    name: column(out.text('What it is.', 'Republic Day'), { title: 'Holiday' }),
  },
  filters: {},
  rows: {
    async page(ctx, _of: null, _filters, { cursor, limit }) {
      if (cursor !== undefined && parseDay(cursor) === null) throw badCursor()
      return listHolidays(ctx, { after: cursor, limit })
    },
    all: () => null,
  },
})

export type HolidayAnswer = Shown<typeof holidayList.output>
