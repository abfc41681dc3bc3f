import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { FETCH_OUTCOMES } from './debits.store.ts'

const out = outputOf<never>()

/** Every call to the ERP of a branch, the newest first. Failures are read by an index of their own. */
export const fetchList = defineList({
  file: 'erp-calls',
  title: 'Calls to the ERP',
  noun: ['call', 'calls'],
  columns: {
    id: column(out.text('Id of the call.', 'fetch_01k9zq4m0ve8sbn6yt2hw3c5da'), { sql: 'f.id' }),
    fetched_at: column(out.moment('When.', '2026-11-15T04:00:00.000Z'), {
      sql: 'f.fetched_at',
      title: 'When (IST)',
      sort: by.moment,
    }),
    identifier: column(out.text('Whom it was asked for.', 'ADM-2026-001'), {
      sql: 'f.identifier',
      title: 'Admission no.',
      only: 'file',
    }),
    student_id: column(out.optional.text('Id of the student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'), {
      sql: 'f.student_id',
    }),
    fullname: column(out.optional.text('Name of the student.', 'Kabir Nair'), {
      sql: 's.fullname',
      title: 'Student',
      sort: by.name,
    }),
    reason: column(out.text('What for.', 'presentation'), { sql: 'f.reason', title: 'What for' }),
    outcome: column(out.oneOf(FETCH_OUTCOMES, 'What came of it.'), {
      sql: 'f.outcome',
      title: 'Answer',
      sort: by.text,
    }),
    code: column(out.optional.text("The ERP's code, or ours.", 'data_error'), {
      sql: 'f.code',
      title: 'Code',
      only: 'file',
    }),
    message: column(out.optional.text('What was said.', 'The fee is being revised.'), {
      sql: 'f.message',
      title: 'What it said',
    }),
    http_status: column(out.optional.integer("The ERP's status, if it answered.", 200), {
      sql: 'f.http_status',
      title: 'HTTP',
    }),
    duration_ms: column(out.integer('How long it took.', 180), {
      sql: 'f.duration_ms',
      title: 'Took (ms)',
      sort: by.number,
    }),
    collector_code: column(out.optional.text('The branch.', 'MAIN'), {
      sql: 's.collector_code',
      title: 'Branch',
    }),
    problems: column(out.json('Fields of the answer that cannot be used.', []), { sql: 'f.problems' }),
    changes: column(out.json('What the answer changed here.', []), { sql: 'f.changes' }),
  },
  filters: {
    outcome: filter(field.oneOf(FETCH_OUTCOMES, 'Only these.'), {
      label: 'Answer',
      where: one => [['f.outcome = $1', one], one !== 'found' && [`f.outcome <> 'found'`]],
    }),
    collector_code: filter(field.code('Only this branch.', 'MAIN'), {
      label: 'Branch',
      choices: 'branches',
      where: 's.collector_code = $1',
    }),
  },
  rows: {
    from: 'erp_fetches f',
    join: 'left join students s on s.institute_id = f.institute_id and s.id = f.student_id',
    scope: ({ id }: { id: number }) => [['f.institute_id = $1', id]],
    order: ['id'],
    direction: 'desc',
    isPurged: true,
    isLog: true,
  },
})

export type FetchAnswer = Shown<typeof fetchList.output>
