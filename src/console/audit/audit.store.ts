import type { Transaction } from '../../platform/db/database.ts'
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
/** An entry `a`. */
export const AUDIT = audit.columns('a')
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
