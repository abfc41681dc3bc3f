import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import type { Advances, ComponentAmount, CarriedOut, UsedAdvance } from './advances.rules.ts'

type StudentKey = { instituteId: number; studentId: string }

export type AdvanceUse = UsedAdvance & { id: string; reason: string; actor: string; at: Date }

const uses = new Table<AdvanceUse & StudentKey>('advance_uses', {
  instituteId: 'int',
  studentId: 'text',
  id: 'text',
  fromComponent: 'text',
  toComponent: 'text',
  amountPaise: 'bigint',
  reason: 'text',
  actor: 'text',
  at: 'timestamptz',
})

export async function insertUses(
  tx: Transaction,
  key: StudentKey,
  made: readonly AdvanceUse[],
): Promise<void> {
  await uses.insert(
    tx,
    made.map(use => ({ ...use, ...key })),
  )
}

export type Transfer = {
  studentId: string
  otherStudentId: string
  componentType: string
  amountPaise: Paise
  /** Null: a deposit that was set off at leaving. */
  rolloverId: string | null
}

/** Records the amounts that a rollover carries; a key lets nothing be carried twice between two records. */
export async function insertTransfers(
  tx: Transaction,
  instituteId: number,
  rows: readonly Transfer[],
  at: Date,
): Promise<void> {
  await writeTransfers(tx, instituteId, rows, { number: '1', at })
}

/** A part of what was carried goes back, or over again. The caller holds both records. */
export async function insertMoved(
  tx: Transaction,
  instituteId: number,
  rows: readonly Transfer[],
  at: Date,
): Promise<void> {
  const number = `1 + (select max(t.number) from student_transfers t where t.institute_id = $1 and t.student_id = r.student_id
    and t.other_student_id = r.other_student_id and t.component_type = r.component_type)`
  await writeTransfers(tx, instituteId, rows, { number, at })
}

/** Records what is set off between two records that a rollover may have carried between, too. The caller holds both. */
export async function insertSetOff(
  tx: Transaction,
  instituteId: number,
  rows: readonly Transfer[],
  at: Date,
): Promise<void> {
  const number = `1 + coalesce((select max(t.number) from student_transfers t where t.institute_id = $1
    and t.student_id = r.student_id and t.other_student_id = r.other_student_id), 0)`
  await writeTransfers(tx, instituteId, rows, { number, at })
}

async function writeTransfers(
  tx: Transaction,
  instituteId: number,
  rows: readonly Transfer[],
  { number, at }: { number: string; at: Date },
): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `insert into student_transfers (institute_id, student_id, other_student_id, component_type, amount_paise, rollover_id,
       number, transferred_at)
     select $1, r.student_id, r.other_student_id, r.component_type, r.amount, r.rollover_id, ${number}, $7
     from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])
       as r (student_id, other_student_id, component_type, amount, rollover_id)`,
    [
      instituteId,
      rows.map(row => row.studentId),
      rows.map(row => row.otherStudentId),
      rows.map(row => row.componentType),
      rows.map(row => row.amountPaise),
      rows.map(row => row.rolloverId),
      at,
    ],
  )
}

/** Whether an advance ever left a fee of this record. */
export async function hasGivenAway(db: Queryable, { instituteId, studentId }: StudentKey): Promise<boolean> {
  const rows = await db.query(
    `select 1 where exists (select from student_transfers t where t.institute_id = $1 and t.student_id = $2
         and t.amount_paise < 0)
       or exists (select from advance_uses u where u.institute_id = $1 and u.student_id = $2)`,
    [instituteId, studentId],
  )
  return rows.length > 0
}

/** Locks in the order of ids until the commit. */
export async function lockRecords(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0)
    await tx.query(
      `select from students where institute_id = $1 and id = any($2) order by id for no key update`,
      [instituteId, ids],
    )
}

/** What is paid of each component beyond its price; below 0 it is owed. */
export async function readSurpluses(
  tx: Transaction,
  { instituteId, studentId }: StudentKey,
): Promise<ComponentAmount[]> {
  return tx.query<ComponentAmount>(
    `select component_type as "componentType", paid_paise + discount_paise - fee_paise as "amountPaise"
     from student_balance_sums where institute_id = $1 and student_id = $2 order by component_type`,
    [instituteId, studentId],
  )
}

/** Reads advances as this transaction sees them; the caller has locked the record. */
export async function readAdvances(
  tx: Transaction,
  { instituteId, studentId }: StudentKey,
): Promise<Advances> {
  const key = [instituteId, studentId]
  const surpluses = await readSurpluses(tx, { instituteId, studentId })
  const carried = await tx.query<CarriedOut & { takenPaise: Paise }>(
    `select t.component_type as "componentType", t.other_student_id as "otherStudentId", min(t.rollover_id) as "rolloverId",
       (-sum(t.amount_paise))::bigint as "amountPaise",
       coalesce(sum(t.amount_paise) filter (where t.number > 1 and t.rollover_id is not null), 0)::bigint as "takenPaise",
       (select g.component_type from student_transfers g where g.institute_id = $1 and g.student_id = t.other_student_id
          and g.other_student_id = t.student_id and (g.number = 1 or g.rollover_id is null) and g.amount_paise > 0
          order by g.number limit 1) as "gainedAs"
     from student_transfers t join students n on n.institute_id = t.institute_id and n.id = t.other_student_id
     join students s on s.institute_id = t.institute_id and s.id = t.student_id
       and s.academic_year_start < n.academic_year_start
     where t.institute_id = $1 and t.student_id = $2
     group by t.student_id, t.other_student_id, t.component_type having min(t.amount_paise) filter (where t.number = 1 or t.rollover_id is null) < 0
     order by t.other_student_id desc, t.component_type`,
    key,
  )
  const used = await tx.query<UsedAdvance>(
    `select m.from_component as "fromComponent", m.to_component as "toComponent", sum(m.amount)::bigint as "amountPaise"
     from (
       select from_component, to_component, amount_paise as amount, id from advance_uses
       where institute_id = $1 and student_id = $2
       union all
       select to_component, from_component, -amount_paise, id from advance_uses where institute_id = $1 and student_id = $2
     ) m group by m.from_component, m.to_component having sum(m.amount) > 0 order by max(m.id) desc`,
    key,
  )
  return {
    surpluses,
    carried: carried.filter(one => one.amountPaise > 0),
    takenBack: carried
      .filter(one => one.takenPaise > 0)
      .map(one => ({ ...one, amountPaise: one.takenPaise })),
    used,
  }
}
