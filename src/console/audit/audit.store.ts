import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { list, type Page, type PageRange } from '../../platform/db/list.ts'
import { Table } from '../../platform/db/table.ts'

export type AuditRow = {
  id: string
  at: Date
  actorKind: 'user' | 'command_line'
  actorId: string | null
  actorName: string
  what: string
  about: string
  why: string | null
  before: unknown
  after: unknown
  requestId: string | null
  ip: string | null
}

const audit = new Table<AuditRow>('console_audit', {
  id: 'text',
  at: 'timestamptz',
  actorKind: 'text',
  actorId: 'text',
  actorName: 'text',
  what: 'text',
  about: 'text',
  why: 'text',
  before: 'jsonb',
  after: 'jsonb',
  requestId: 'text',
  ip: 'text',
})
const ofInstitute = audit.with<{ instituteId: number }>({ instituteId: 'int' })

export async function insertAudit(
  tx: Transaction,
  instituteId: number,
  entries: readonly AuditRow[],
): Promise<void> {
  await ofInstitute.insert(
    tx,
    entries.map(entry => ({ ...entry, instituteId })),
  )
}

export type AuditFilter = {
  actorId?: string | undefined
  what?: string | undefined
  about?: string | undefined
  from?: Date | undefined
  before?: Date | undefined
}

/** Newest first; ids sort by creation. */
export async function listAudit(
  db: Queryable,
  instituteId: number,
  { cursor, limit, ...filter }: AuditFilter & PageRange,
): Promise<Page<AuditRow>> {
  return list<AuditRow>(
    db,
    {
      select: audit.columns('a'),
      from: 'console_audit a',
      scope: [['a.institute_id = $1', instituteId]],
      filters: [
        ['a.actor_id = $1', filter.actorId],
        ['a.what = $1', filter.what],
        ['a.about = $1', filter.about],
        ['a.at >= $1', filter.from],
        ['a.at < $1', filter.before],
      ],
      order: ['id'],
      direction: 'desc',
      isPurged: true,
    },
    { cursor, limit },
  )
}
