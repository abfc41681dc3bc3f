import type { Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import type { Paise } from '../platform/money.ts'
import { recomputeAtCommit } from './balances.store.ts'
import { feeComponents } from './fee-table.ts'
import {
  OWN_SOURCES,
  type Discount,
  type FeeChange,
  type FeeComponent,
  type OwnCharges,
} from './fees.rules.ts'
import { institutesOf } from '../platform/db/query.ts'

type StudentKey = { instituteId: number; studentId: string }

export async function readFees(
  tx: Transaction,
  instituteId: number,
  studentId: string,
): Promise<FeeComponent[]> {
  return (await readFeesOf(tx, instituteId, [studentId])).get(studentId) ?? []
}

const componentsOfStudents = feeComponents.with<StudentKey>({ instituteId: 'int', studentId: 'text' })

/** Fees by student, in the order in which they were registered. */
export async function readFeesOf(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, FeeComponent[]>> {
  const rows = await db.query<FeeComponent & { studentId: string }>(
    `select f.student_id as "studentId", ${feeComponents.columns('f')} from unnest($2::text[]) as asked (id)
     join fee_components f on f.institute_id = $1 and f.student_id = asked.id order by f.student_id, f.position`,
    [instituteId, studentIds],
  )
  return Map.groupBy(rows, row => row.studentId)
}

export type RecordedChange = {
  componentType: string
  changedAt: Date
  source: string
  note: string | null
  feeBeforePaise: Paise | null
  discountsBefore: readonly Discount[] | null
  feeAfterPaise: Paise
  discountsAfter: readonly Discount[]
}

const feeChanges = new Table<RecordedChange>('fee_changes', {
  componentType: 'text',
  changedAt: 'timestamptz',
  source: 'text',
  note: 'text',
  feeBeforePaise: 'bigint',
  discountsBefore: 'jsonb',
  feeAfterPaise: 'bigint',
  discountsAfter: 'jsonb',
})
const changesOfStudents = feeChanges.with<StudentKey>({ instituteId: 'int', studentId: 'text' })

export type FeeChangeContext = {
  changedAt: Date
  source:
    | 'registration'
    | 'update'
    | 'pull'
    | 'late_fee'
    | 'import'
    | 'rollover'
    | 'charge'
    | 'structure'
    | 'optional'
    | 'deposit'
  /** Why, of changes that do not say so themselves. */
  note?: string
}

const SET_PRICE = componentsOfStudents.excluded(['feePaise', 'discounts'])

/** Sets the changed components, of however many students, and writes each change down. */
export async function applyFeeChanges(
  tx: Transaction,
  instituteId: number,
  changes: readonly (FeeChange & { studentId: string })[],
  { changedAt, source, note: why }: FeeChangeContext,
): Promise<void> {
  if (changes.length === 0) return
  await componentsOfStudents.insert(
    tx,
    changes.map(change => ({ ...change, ...change.after, instituteId })),
    { onConflict: `on conflict (institute_id, student_id, component_type) do update set ${SET_PRICE}` },
  )
  await changesOfStudents.insert(
    tx,
    changes.map(({ studentId, componentType, note, before, after }) => ({
      instituteId,
      studentId,
      componentType,
      changedAt,
      source,
      note: note ?? why ?? null,
      feeBeforePaise: before?.feePaise ?? null,
      discountsBefore: before?.discounts ?? null,
      feeAfterPaise: after.feePaise,
      discountsAfter: after.discounts,
    })),
  )
  recomputeAtCommit(
    tx,
    instituteId,
    changes.map(change => change.studentId),
  )
}

/** The newest changes of each component; older ones are not shown. */
const MAX_HISTORY = 100

/** Newest first. */
export async function readFeeHistory(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<RecordedChange[]> {
  return db.query<RecordedChange>(
    `select ${feeChanges.columns('c')}
     from (select *, row_number() over (partition by component_type order by change_no desc) as age
       from fee_changes where institute_id = $1 and student_id = $2) as c
     where age <= ${MAX_HISTORY} order by change_no desc`,
    [instituteId, studentId],
  )
}

type OwnCharge = { studentId: string; componentType: string; amountPaise: Paise }

/**
 * What Bursar charged by student, such as late fees, and the institute's own system did not; below 0 where a deposit that
 * the institute's system charged was given back here.
 */
export async function readOwnCharges(
  db: Queryable,
  keys: readonly { instituteId: number; studentId: string }[],
): Promise<Map<string, OwnCharges>> {
  const rows = await db.query<OwnCharge>(
    `select c.student_id as "studentId", c.component_type as "componentType",
       sum(c.fee_after_paise - coalesce(c.fee_before_paise, 0))::bigint as "amountPaise"
     from unnest($1::int[], $2::text[]) as asked (institute_id, id)
     join fee_changes c on c.institute_id = asked.institute_id and c.student_id = asked.id
       and c.source in (${OWN_SOURCES})
     where c.institute_id = any ($3::int[])
     group by c.institute_id, c.student_id, c.component_type`,
    [keys.map(key => key.instituteId), keys.map(key => key.studentId), institutesOf(keys)],
  )
  const byStudent = Map.groupBy(rows, row => row.studentId)
  return new Map(
    [...byStudent].map(([id, own]) => [id, new Map(own.map(one => [one.componentType, one.amountPaise]))]),
  )
}

/** What optional fees charged so far, by student and component. */
export async function readOptionalCharges(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, Map<string, Paise>>> {
  const rows = await db.query<OwnCharge>(
    `select c.student_id as "studentId", c.component_type as "componentType",
       sum(c.fee_after_paise - coalesce(c.fee_before_paise, 0))::bigint as "amountPaise"
     from fee_changes c where c.institute_id = $1 and c.student_id = any($2) and c.source = 'optional'
     group by c.student_id, c.component_type`,
    [instituteId, studentIds],
  )
  const byStudent = Map.groupBy(rows, row => row.studentId)
  return new Map(
    [...byStudent].map(([id, own]) => [id, new Map(own.map(one => [one.componentType, one.amountPaise]))]),
  )
}
