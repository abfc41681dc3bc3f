import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { LINK_FILES, ROSTERS, type ImportFamily, type ImportState } from '../../imports/imports.rules.ts'
import { IMPORTS, type Import } from '../../imports/imports.service.ts'
import { LINK_FILE_STATES } from '../../imports/kinds/links/links.rules.ts'
import { ROSTER_STATES } from '../../imports/kinds/roster/roster.rules.ts'
import { by } from '../../platform/db/sorted-list.ts'

const out = outputOf<Import>()

type FilesOf<State> = { file: string; title: string; done: string; states: readonly State[] }

/** Files that people sent, the newest first: ids sort by creation. */
const fileList = <State extends ImportState>(
  { kinds }: ImportFamily,
  { file, title, done, states }: FilesOf<State>,
) =>
  defineList({
    file,
    title,
    noun: ['file', 'files'],
    columns: {
      id: out.text('Its id.', 'imp_01k9zq4m0ve8sbn6yt2hw3c5da'),
      file_name: column(
        out.text('What the file is called.', 'class-5.xlsx', ({ fileName }) => fileName ?? ''),
        { title: 'File', sort: by.name },
      ),
      state: column(
        out.oneOf(states, 'How far it is; `checked` waits for somebody.', ({ state }) => state as State),
        { title: 'Status', sort: by.text },
      ),
      total_rows: column(out.integer('Rows of the file.', 120), { title: 'Rows', sort: by.number }),
      bad_rows: column(out.integer('Of these, rows that cannot be used.', 2), {
        title: 'Rows to correct',
        sort: by.number,
      }),
      applied_rows: column(out.integer('Of these, rows that made or changed something.', 115), {
        title: done,
        sort: by.number,
      }),
      created_by: column(
        out.text('Who sent it.', 'meera@example.in', ({ createdBy }) => createdBy ?? ''),
        { title: 'Sent by', sort: by.text },
      ),
      created_at: column(out.moment('When, UTC.', '2026-11-15T04:00:00.000Z'), {
        title: 'When (IST)',
        sort: by.moment,
      }),
    },
    filters: {
      state: filter(field.oneOf(states, 'Only in this state.'), { label: 'Status', where: 'i.state = $1' }),
    },
    rows: {
      ...IMPORTS,
      scope: ({ id }: { id: number }) => [
        ['i.institute_id = $1', id],
        ['i.kind = any($1)', kinds],
      ],
      order: ['id'],
      direction: 'desc',
    },
  })

export const linkFileList = fileList(LINK_FILES, {
  file: 'files-of-links',
  title: 'Files of links',
  done: 'Links made',
  states: LINK_FILE_STATES,
})

export const rosterList = fileList(ROSTERS, {
  file: 'files-of-students',
  title: 'Files of students',
  done: 'Registered or changed',
  states: ROSTER_STATES,
})

export type ImportFileAnswer = Shown<typeof linkFileList.output> | Shown<typeof rosterList.output>
