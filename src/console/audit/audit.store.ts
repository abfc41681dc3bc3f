import type { Queryable, Transaction } from '../../platform/db/database.ts'

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

export async function insertAudit(
  tx: Transaction,
  instituteId: number,
  entry: Omit<AuditRow, 'before' | 'after'> & { before: unknown; after: unknown },
): Promise<void> {
  await tx.query(
    `insert into console_audit (institute_id, id, at, actor_kind, actor_id, actor_name, what, about, why, before, after,
       request_id, ip)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      instituteId,
      entry.id,
      entry.at,
      entry.actorKind,
      entry.actorId,
      entry.actorName,
      entry.what,
      entry.about,
      entry.why,
      asJson(entry.before),
      asJson(entry.after),
      entry.requestId,
      entry.ip,
    ],
  )
}

function asJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

export type AuditFilter = {
  actorId?: string | undefined
  what?: string | undefined
  about?: string | undefined
  from?: Date | undefined
  before?: Date | undefined
  cursor?: string | undefined
}

/** Newest first; ids sort by creation. */
export async function listAudit(
  db: Queryable,
  instituteId: number,
  filter: AuditFilter,
  limit: number,
): Promise<AuditRow[]> {
  const values: unknown[] = [instituteId]
  const where = ['institute_id = $1']
  const add = (value: unknown, condition: (placeholder: string) => string): void => {
    if (value !== undefined) where.push(condition(`$${values.push(value)}`))
  }
  add(filter.actorId, value => `actor_id = ${value}`)
  add(filter.what, value => `what = ${value}`)
  add(filter.about, value => `about = ${value}`)
  add(filter.from, value => `at >= ${value}`)
  add(filter.before, value => `at < ${value}`)
  add(filter.cursor, value => `id < ${value}`)
  return db.query<AuditRow>(
    `select id, at, actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", what, about, why,
       before, after, request_id as "requestId", ip
     from console_audit where ${where.join(' and ')} order by id desc limit $${values.push(limit)}`,
    values,
  )
}
