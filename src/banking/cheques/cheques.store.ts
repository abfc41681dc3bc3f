import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import { chequeList, CHEQUES, type Cheque } from './cheque.list.ts'

const { from, join, atCounter, state, whole } = CHEQUES
const SELECTED = `select ${chequeList.select} from ${from} ${join}`

/** Returns cheques in the order they were taken. */
export async function readCheques(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<Cheque[]> {
  return db.query<Cheque>(
    `${SELECTED}
     where d.institute_id = $1 and d.id = any($2) and ${atCounter} order by d.recorded_at, d.id`,
    [instituteId, ids],
  )
}

/** The ids themselves, and those of payments that the same cheques made and that still stand. */
export async function listParts(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from unnest($2::text[]) as asked (id)
     union
     select o.payment_id from counter_taking_payments k
     join counter_taking_payments o on o.institute_id = $1 and o.taking_id = k.taking_id and o.way_no = k.way_no
     join direct_payments d on d.institute_id = $1 and d.id = o.payment_id and d.cancelled_at is null
     where k.institute_id = $1 and k.payment_id = any($2)`,
    [instituteId, ids],
  )
  return rows.map(({ id }) => id)
}

export type Returnable = { amountPaise: Paise; from: string; to: string }

/** One payment of each cheque, the last taken first; the total over all payments of a cheque identifies it. */
export async function listReturnable(
  db: Queryable,
  instituteId: number,
  { amountPaise, from, to }: Returnable,
): Promise<Cheque[]> {
  return db.query<Cheque>(
    `${SELECTED}
     where d.institute_id = $1 and d.amount_paise <= $2 and ${whole} = $2 and ${atCounter}
       and ${state} in ('in_hand', 'deposited', 'cleared')
       and (d.recorded_at at time zone 'Asia/Kolkata')::date between $3 and $4
     order by d.recorded_at desc, d.id desc limit 50`,
    [instituteId, amountPaise, from, to],
  )
}

/** The cheques of a student that no bank has decided about, in the order they were taken. */
export async function listUndecided(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<Cheque[]> {
  return db.query<Cheque>(
    `${SELECTED}
     where d.institute_id = $1 and d.student_id = $2 and ${atCounter} and ${state} in ('in_hand', 'deposited')
     order by d.recorded_at, d.id`,
    [instituteId, studentId],
  )
}

export async function readChequesOf(
  db: Queryable,
  instituteId: number,
  depositIds: readonly string[],
): Promise<Cheque[]> {
  return db.query<Cheque>(
    `${SELECTED}
     where q.institute_id = $1 and q.deposit_id = any($2) order by d.recorded_at, d.id`,
    [instituteId, depositIds],
  )
}

type ChequeRow = {
  instituteId: number
  paymentId: string
  state: string
  depositId: string | null
  decidedOn: string | null
  bounceReason: string | null
  chargePaise: Paise | null
  changedBy: string
  changedAt: Date
}

const cheques = new Table<ChequeRow>('cheques', {
  instituteId: 'int',
  paymentId: 'text',
  state: 'text',
  depositId: 'text',
  decidedOn: 'date',
  bounceReason: 'text',
  chargePaise: 'bigint',
  changedBy: 'text',
  changedAt: 'timestamptz',
})

/** The caller holds the students, so nobody decides about the same cheques at the same time. */
export async function writeCheques(tx: Transaction, rows: readonly ChequeRow[]): Promise<void> {
  const set = cheques.excluded([
    'state',
    'depositId',
    'decidedOn',
    'bounceReason',
    'chargePaise',
    'changedBy',
    'changedAt',
  ])
  await cheques.insert(tx, rows, {
    onConflict: `on conflict (institute_id, payment_id) do update set ${set}`,
  })
}

/** Back in the office. */
export async function deleteCheques(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<void> {
  await tx.query('delete from cheques where institute_id = $1 and payment_id = any($2)', [instituteId, ids])
}
