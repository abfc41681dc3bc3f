import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Branch } from '../../institutes/institutes.rules.ts'
import { listDeadLetters, listInstitutes, type DeadLetter, type InstituteRow } from './jobs.store.ts'
import { LETTER_KINDS } from './operator.rules.ts'
import { parseDay } from '../../platform/calendar.ts'
import { badCursor } from '../../platform/db/list.ts'
import { listHolidays } from '../../payments/holidays.service.ts'

const branch = outputOf<Branch>()
const branchOutput = branch.object({
  collector_code: branch.text('Its code.', 'MAIN'),
  name: branch.text('As parents know it.', 'Main branch'),
  is_default: branch.flag('The branch of everything that names none.', true),
})

const institute = outputOf<InstituteRow>()

/** Institutes by their codes. */
export const instituteList = defineList({
  file: 'institutes',
  title: 'Institutes',
  noun: ['institute', 'institutes'],
  key: 'code',
  columns: {
    name: column(institute.text('Its name.', 'Demo School'), { title: 'Institute' }),
    code: institute.text('Its code.', 'demo-school'),
    strict_catalogue: institute.flag('Whether codes outside its catalogue are refused.', false),
    branches: column(institute.list('Where it collects.', branchOutput), { title: 'Branches' }),
    people: column(institute.integer('People who work in it at the console.', 4), { title: 'People' }),
    active_keys: column(institute.integer('API keys that work.', 1), { title: 'API keys' }),
    created_at: column(institute.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'), {
      title: 'Since',
    }),
  },
  filters: {
    search: filter(field.code('Part of the code or the name.', 'green'), { label: 'Name or code' }),
  },
  rows: {
    page: ({ db }, _of: null, { search }, range) => listInstitutes(db, { search, ...range }),
    all: () => null,
  },
})

export type InstituteAnswer = Shown<typeof instituteList.output>

const letter = outputOf<DeadLetter>()

/** What was given up in any institute, the newest first. */
export const letterList = defineList({
  file: 'dead-letters',
  title: 'Given up',
  noun: ['letter', 'letters'],
  columns: {
    id: letter.text('Id of the delivery, message or import.', 'msg_01k9zq4m0ve8sbn6yt2hw3c5da'),
    kind: letter.oneOf(LETTER_KINDS, 'What it is.'),
    at: column(letter.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'), { title: 'Made' }),
    institute_code: letter.text('Whose it is.', 'demo-school'),
    institute_name: column(letter.text('Its name.', 'Demo School'), { title: 'Institute' }),
    subject: column(letter.text('What it was, and to whom.', 'email to asha@example.in'), { title: 'What' }),
    problem: column(letter.optional.text('What went wrong last.', 'mailbox full'), {
      title: 'What went wrong',
    }),
    tries: column(letter.optional.integer('How often it was tried.', 8), { title: 'Tries' }),
  },
  filters: {
    kind: filter(field.oneOf(LETTER_KINDS, 'Of which kind; deliveries if absent.'), { label: 'Kind' }),
  },
  rows: {
    page: ({ db }, _of: null, { kind = 'delivery' }, range) => listDeadLetters(db, kind, range),
    all: () => null,
  },
})

export type LetterAnswer = Shown<typeof letterList.output>

const holiday = outputOf<never>()

/** Bank holidays from a year back on, the earliest first; a cursor is a day. */
export const holidayList = defineList({
  file: 'holidays',
  title: 'Holidays',
  noun: ['holiday', 'holidays'],
  columns: {
    day: column(holiday.day('The day.', '2030-01-26'), { title: 'Day' }),
    name: column(holiday.text('What it is.', 'Republic Day'), { title: 'Holiday' }),
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
