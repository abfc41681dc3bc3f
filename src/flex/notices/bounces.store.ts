import { isHere } from '../../platform/db/query.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { institutesOf } from '../../platform/db/named-rows.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import { FAMILY } from './families.ts'

/** A returned debit of which the family has not been notified. */
export type Bounce = {
  instituteId: number
  planId: string
  instalmentId: string
  kind: 'bounced' | 'reversed'
  amountPaise: Paise
  /** The reason in words for the family. */
  reason: string
  returnedAt: Date
  tellAt: Date
}

const BOUNCES = new Table<Bounce>('flex_bounces', {
  instituteId: 'int',
  planId: 'text',
  instalmentId: 'text',
  kind: 'text',
  amountPaise: 'bigint',
  reason: 'text',
  returnedAt: 'timestamptz',
  tellAt: 'timestamptz',
})

const REPLACE = `on conflict (institute_id, instalment_id) do update set
  tell_at = least(flex_bounces.tell_at, excluded.tell_at), ${BOUNCES.excluded(['kind', 'amountPaise', 'reason', 'returnedAt'])}`

export async function saveBounces(tx: Transaction, bounces: readonly Bounce[]): Promise<void> {
  await BOUNCES.insert(tx, bounces, { onConflict: REPLACE })
}

export type DueBounce = Bounce & { studentId: string; family: string }

/** Family by family. */
export async function listBounces(db: Database, now: Date, limit: number): Promise<DueBounce[]> {
  return await db.query<DueBounce>(
    `select ${BOUNCES.columns('b')}, p.student_id as "studentId", ${FAMILY} as family
     from flex_bounces b join flex_plans p on p.institute_id = b.institute_id and p.id = b.plan_id
     join students s on s.institute_id = p.institute_id and s.id = p.student_id
     where b.tell_at <= $1 and ${isHere('b.institute_id')} order by family, b.instalment_id limit $2`,
    [now, limit],
  )
}

export async function nextBounce(db: Database): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(tell_at) as at from flex_bounces where ${isHere()}`,
  )
  return row?.at ?? null
}

/** Answers those that nobody else has taken meanwhile and that have not come back once more. */
export async function takeBounces(tx: Transaction, bounces: readonly DueBounce[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `delete from flex_bounces b using unnest($1::int[], $2::text[], $3::timestamptz[]) as r (institute_id, id, returned_at)
     where b.institute_id = r.institute_id and b.institute_id = any ($4::int[]) and b.instalment_id = r.id and b.returned_at = r.returned_at returning b.instalment_id as id`,
    [
      bounces.map(({ instituteId }) => instituteId),
      bounces.map(({ instalmentId }) => instalmentId),
      bounces.map(({ returnedAt }) => returnedAt),
      institutesOf(bounces),
    ],
  )
  return new Set(rows.map(({ id }) => id))
}
