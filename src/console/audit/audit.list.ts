import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { AUDIT, type AuditRow } from './audit.store.ts'

const out = outputOf<AuditRow>()

const actorOutput = out.object({
  kind: out.oneOf(['user', 'command_line'], 'A person, or the command line.', row => row.actorKind),
  id: out.optional.text('Id of the person.', 'staff_01k9zq4m0ve8sbn6yt2hw3c5da', row => row.actorId),
  name: out.text('Their address at that time.', 'asha@example.in', row => row.actorName),
})

/** What people did in the console and at the command line, the newest first; ids sort by creation. */
export const auditList = defineList({
  file: 'audit-log',
  title: 'Audit log',
  noun: ['entry', 'entries'],
  columns: {
    id: out.text('Id of the entry.', 'audit_01k9zq4m0ve8sbn6yt2hw3c5da'),
    at: column(out.moment('When, UTC.', '2026-11-15T04:32:10.000Z'), {
      title: 'When (IST)',
      sort: by.moment,
    }),
    actor: column(
      out.one('Who did it.', actorOutput, row => row),
      { title: 'Who', sort: by.name('"actorName"'), cell: (row: AuditRow) => row.actorName },
    ),
    what: column(out.text('What was done.', 'team.invited'), { title: 'What', sort: by.text }),
    about: column(out.text('To what, by its id.', 'invite_01k9zq4m0ve8sbn6yt2hw3c5da'), {
      title: 'Record',
      sort: by.text,
    }),
    why: column(out.optional.text('The reason that was given.', 'Left the school'), { title: 'Reason' }),
    before: column(out.optional.json('As it was.', { role: 'viewer' }), {
      title: 'Before',
      only: 'file',
      cell: (row: AuditRow) => jsonText(row.before),
    }),
    after: column(out.optional.json('As it became.', { role: 'finance' }), {
      title: 'After',
      only: 'file',
      cell: (row: AuditRow) => jsonText(row.after),
    }),
    request_id: column(out.optional.text('The request that did it.', 'req_01k9zq4m0ve8sbn6yt2hw3c5da'), {
      title: 'Request',
      only: 'file',
    }),
    ip: column(out.optional.text('Where it came from.', '203.0.113.7'), {
      title: 'From address',
      only: 'file',
    }),
  },
  filters: {
    who: filter(
      field.resourceId('Only what this person did.', 'staff_01k9zq4m0ve8sbn6yt2hw3c5da').as('actorId'),
      { where: 'a.actor_id = $1' },
    ),
    what: filter(field.code('Only actions of this kind.', 'team.invited'), {
      label: 'What',
      where: 'a.what = $1',
    }),
    about: filter(field.identifier('Only what was done to this.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'), {
      label: 'Record (id)',
      where: 'a.about = $1',
    }),
    from: filter(field.rangeStart('From this moment, or the start of this day, on.'), {
      label: 'From',
      where: 'a.at >= $1',
    }),
    to: filter(field.rangeEnd('Before this moment, or up to the end of this day.').as('before'), {
      label: 'Up to',
      where: 'a.at < $1',
    }),
  },
  rows: {
    select: AUDIT,
    from: 'console_audit a',
    scope: ({ id }: { id: number }) => [['a.institute_id = $1', id]],
    order: ['id'],
    direction: 'desc',
    isPurged: true,
  },
})
export type AuditAnswer = Shown<typeof auditList.output>

function jsonText(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}
