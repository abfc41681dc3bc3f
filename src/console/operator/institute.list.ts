import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Branch } from '../../institutes/institutes.rules.ts'
import * as store from './jobs.store.ts'

const branch = outputOf<Branch>()
const branchOutput = branch.object({
  collector_code: branch.text('Its code.', 'MAIN'),
  name: branch.text('As parents know it.', 'Main branch'),
  is_default: branch.flag('The branch of everything that names none.', true),
})

const out = outputOf<store.InstituteRow>()

/** Institutes by their codes. */
export const instituteList = defineList({
  file: 'institutes',
  title: 'Institutes',
  noun: ['institute', 'institutes'],
  key: 'code',
  columns: {
    name: column(out.text('Its name.', 'Demo School'), { title: 'Institute' }),
    code: out.text('Its code.', 'demo-school'),
    strict_catalogue: out.flag('Whether codes outside its catalogue are refused.', false),
    branches: column(out.list('Where it collects.', branchOutput), { title: 'Branches' }),
    people: column(out.integer('People who work in it at the console.', 4), { title: 'People' }),
    active_keys: column(out.integer('API keys that work.', 1), { title: 'API keys' }),
    created_at: column(out.moment('When it was made, UTC.', '2026-11-15T04:32:10.000Z'), {
      title: 'Since',
    }),
  },
  filters: {
    search: filter(field.code('Part of the code or the name.', 'green'), { label: 'Name or code' }),
  },
  rows: {
    page: ({ db }, _of: null, { search }, range) => store.listInstitutes(db, { search, ...range }),
    all: () => null,
  },
})

export type InstituteAnswer = Shown<typeof instituteList.output>
