import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import { DEPOSITS, depositList, type ListedDeposit } from './deposit.list.ts'
import type { DenominationCount } from './denominations.rules.ts'

export type Deposit = {
  id: string
  slipNumber: number
  kind: 'cash' | 'cheque'
  accountId: string
  day: string
  amountPaise: Paise
  denominations: DenominationCount[] | null
  madeBy: string
  madeAt: Date
  receivedOn: string | null
  cancelledAt: Date | null
  cancelReason: string | null
}

const deposits = new Table<Deposit>('deposits', {
  id: 'text',
  slipNumber: 'int',
  kind: 'text',
  accountId: 'text',
  day: 'date',
  amountPaise: 'bigint',
  denominations: 'jsonb',
  madeBy: 'text',
  madeAt: 'timestamptz',
  receivedOn: 'date',
  cancelledAt: 'timestamptz',
  cancelReason: 'text',
})
const ofInstitute = deposits.with<{ instituteId: number }>({ instituteId: 'int' })

/** Whoever takes cash out of the office waits here until the transaction before has ended, so that none is taken twice. */
export async function lockCash(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('deposits ' || $1::int, 0))`, [instituteId])
}

/** Slips are numbered without gaps, so one is made at a time. */
export async function nextSlipNumber(tx: Transaction, instituteId: number): Promise<number> {
  await lockCash(tx, instituteId)
  const [row] = await tx.query<{ next: number }>(
    'select coalesce(max(slip_number), 0) + 1 as next from deposits where institute_id = $1',
    [instituteId],
  )
  return row?.next ?? 1
}

export async function insertDeposit(tx: Transaction, instituteId: number, deposit: Deposit): Promise<void> {
  await ofInstitute.insert(tx, [{ ...deposit, instituteId }])
}

/** A deposit with what only its printed slip shows. */
export type PrintedDeposit = ListedDeposit & Pick<Deposit, 'denominations' | 'madeAt'>

export async function findDeposit(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<PrintedDeposit | null> {
  const [row] = await db.query<PrintedDeposit>(
    `select ${depositList.select}, ${deposits.columns('d', ['denominations', 'madeAt'])}
     from ${DEPOSITS.from} ${DEPOSITS.join} where d.institute_id = $1 and d.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

/** Held until the commit; null when there is none. */
export async function lockDeposit(tx: Transaction, instituteId: number, id: string): Promise<Deposit | null> {
  const [row] = await tx.query<Deposit>(
    `select ${deposits.columns('d')} from deposits d where d.institute_id = $1 and d.id = $2 for update`,
    [instituteId, id],
  )
  return row ?? null
}

export async function setCancelled(tx: Transaction, instituteId: number, deposit: Deposit): Promise<void> {
  await ofInstitute.update(tx, [{ ...deposit, instituteId }], {
    key: ['instituteId', 'id'],
    set: ['cancelledAt', 'cancelReason'],
  })
}

export async function setReceived(
  tx: Transaction,
  instituteId: number,
  booked: readonly { id: string; day: string | null }[],
): Promise<void> {
  await ofInstitute.update(
    tx,
    booked.map(({ id, day }) => ({ instituteId, id, receivedOn: day })),
    { key: ['instituteId', 'id'], set: ['receivedOn'] },
  )
}

/** Cash that was taken at the counter, less what was paid out of it and what was deposited. */
export async function sumCashInHand(db: Queryable, instituteId: number): Promise<Paise> {
  const [row] = await db.query<{ amountPaise: Paise }>(
    `select (select coalesce(sum(amount_paise), 0) from direct_payments
         where institute_id = $1 and recorded_by is not null and lower(mode) = 'cash' and cancelled_at is null)::bigint
       - (select coalesce(sum(amount_paise), 0) from direct_refunds
         where institute_id = $1 and way = 'cash')::bigint
       - (select coalesce(sum(amount_paise), 0) from deposits
         where institute_id = $1 and kind = 'cash' and cancelled_at is null)::bigint as "amountPaise"`,
    [instituteId],
  )
  return row?.amountPaise ?? (0 as Paise)
}
