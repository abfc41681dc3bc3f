import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { list, wholeList, type List, type Page, type PageRange } from '../../platform/db/list.ts'
import type { Query } from '../../platform/db/query.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import type { ChequeState } from './cheques.rules.ts'

export type Cheque = {
  /** Id of the payment. */
  id: string
  transactionId: string
  takenAt: Date
  takenBy: string
  studentId: string
  studentName: string
  identifier: string
  mode: string
  number: string
  bank: string | null
  date: string | null
  amountPaise: Paise
  state: ChequeState
  depositId: string | null
  slipNumber: number | null
  decidedOn: string | null
  bounceReason: string | null
}

export type ChequeFilter = { state?: ChequeState | undefined; number?: string | undefined }

const STATE = `case when q.state = 'bounced' then 'bounced' when d.cancelled_at is not null then 'cancelled'
  else coalesce(q.state, 'in_hand') end`

const SELECT = `d.id, d.transaction_id as "transactionId", d.recorded_at as "takenAt", d.recorded_by as "takenBy",
  s.id as "studentId", s.fullname as "studentName", s.identifier, d.mode,
  d.instrument ->> 'number' as number, d.instrument ->> 'bank' as bank, d.instrument ->> 'date' as date,
  d.amount_paise as "amountPaise", ${STATE} as state, q.deposit_id as "depositId", p.slip_number as "slipNumber",
  q.decided_on as "decidedOn", q.bounce_reason as "bounceReason"`

const JOIN = `join students s on s.institute_id = d.institute_id and s.id = d.student_id
  left join cheques q on q.institute_id = d.institute_id and q.payment_id = d.id
  left join deposits p on p.institute_id = q.institute_id and p.id = q.deposit_id`

const AT_COUNTER = 'd.recorded_by is not null and d.instrument is not null'

/** The last taken first. */
const chequeList = (instituteId: number, { state, number }: ChequeFilter): List => ({
  select: SELECT,
  from: 'direct_payments d',
  join: JOIN,
  scope: [['d.institute_id = $1', instituteId], [AT_COUNTER]],
  filters: [
    [`${STATE} = $1`, state],
    [`d.instrument ->> 'number' = $1`, number],
  ],
  order: ['recorded_at', 'id'],
  direction: 'desc',
})

export async function listCheques(
  db: Queryable,
  instituteId: number,
  filter: ChequeFilter,
  page: PageRange,
): Promise<Page<Cheque>> {
  return list<Cheque>(db, chequeList(instituteId, filter), page)
}

/** All of them as one statement. */
export function allCheques(instituteId: number, filter: ChequeFilter): Query {
  return wholeList(chequeList(instituteId, filter))
}

/** In the order they were taken. */
export async function readCheques(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<Cheque[]> {
  return db.query<Cheque>(
    `select ${SELECT} from direct_payments d ${JOIN}
     where d.institute_id = $1 and d.id = any($2) and ${AT_COUNTER} order by d.recorded_at, d.id`,
    [instituteId, ids],
  )
}

export type Returnable = { amountPaise: Paise; from: string; to: string }

/** The last taken first. */
export async function listReturnable(
  db: Queryable,
  instituteId: number,
  { amountPaise, from, to }: Returnable,
): Promise<Cheque[]> {
  return db.query<Cheque>(
    `select ${SELECT} from direct_payments d ${JOIN}
     where d.institute_id = $1 and d.amount_paise = $2 and ${AT_COUNTER} and ${STATE} in ('in_hand', 'deposited', 'cleared')
       and (d.recorded_at at time zone 'Asia/Kolkata')::date between $3 and $4
     order by d.recorded_at desc, d.id desc limit 50`,
    [instituteId, amountPaise, from, to],
  )
}

export async function readChequesOf(
  db: Queryable,
  instituteId: number,
  depositIds: readonly string[],
): Promise<Cheque[]> {
  return db.query<Cheque>(
    `select ${SELECT} from direct_payments d ${JOIN}
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
  changedBy: 'text',
  changedAt: 'timestamptz',
})

/** The caller holds the students, so nobody decides about the same cheques at the same time. */
export async function writeCheques(tx: Transaction, rows: readonly ChequeRow[]): Promise<void> {
  const set = cheques.excluded(['state', 'depositId', 'decidedOn', 'bounceReason', 'changedBy', 'changedAt'])
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
