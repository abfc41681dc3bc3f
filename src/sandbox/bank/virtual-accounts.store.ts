import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'

type BankAccount = {
  instituteId: number
  ref: string
  virtualAccountId: string
  collectorCode: string
  accountNumber: string
  ifsc: string
  upiId: string
}

const accounts = new Table<BankAccount>('bank_virtual_accounts', {
  instituteId: 'int',
  ref: 'text',
  virtualAccountId: 'text',
  collectorCode: 'text',
  accountNumber: 'text',
  ifsc: 'text',
  upiId: 'text',
})

/** The account under its id, made if it is new. */
export async function openAccount(db: Queryable, account: BankAccount): Promise<BankAccount> {
  await accounts.insert(db, [account], {
    onConflict: 'on conflict (institute_id, virtual_account_id) do nothing',
  })
  const known = await findAccount(db, account.instituteId, account.virtualAccountId)
  if (known === null) throw new Error('the bank lost an account')
  return known
}

export async function findAccount(
  db: Queryable,
  instituteId: number,
  virtualAccountId: string,
): Promise<BankAccount | null> {
  const [row] = await db.query<BankAccount>(
    `select ${accounts.columns('a')} from bank_virtual_accounts a
     where a.institute_id = $1 and a.virtual_account_id = $2`,
    [instituteId, virtualAccountId],
  )
  return row ?? null
}

export type BankCredit = {
  account: Pick<BankAccount, 'instituteId' | 'ref' | 'virtualAccountId'>
  ref: string
  utr: string
  amountPaise: Paise
  remitterName: string
  creditedAt: Date
}

/** Stands among the bank's payments under its UTR, where they have our ids, so that it is paid out and refunded like them. */
export async function insertCredit(
  tx: Transaction,
  credit: Omit<BankCredit, 'account'> & { account: BankAccount },
): Promise<void> {
  const { account, ref, utr, amountPaise, remitterName, creditedAt } = credit
  const { instituteId, collectorCode } = account
  await tx.query(
    `with made as (
       insert into bank_payments (institute_id, ref, payment_id, collector_code, amount_paise, mode, state, transaction_id,
         captured_at, return_url)
       values ($1, $2, $3, $4, $5, 'bank_transfer', 'captured', $3, $6, '')
       on conflict (institute_id, payment_id) do nothing returning institute_id, ref)
     insert into bank_credits (institute_id, ref, account_ref, remitter_name)
     select $1, made.ref, $7, $8 from made`,
    [instituteId, ref, utr, collectorCode, amountPaise, creditedAt, account.ref, remitterName],
  )
}

export async function findCredit(
  db: Queryable,
  instituteId: number,
  key: { ref: string } | { utr: string },
): Promise<BankCredit | null> {
  const [column, value] = 'ref' in key ? ['ref', key.ref] : ['payment_id', key.utr]
  type Row = Omit<BankCredit, 'account'> & { accountRef: string; virtualAccountId: string }
  const [row] = await db.query<Row>(
    `select b.ref, b.payment_id as utr, b.amount_paise as "amountPaise", c.remitter_name as "remitterName",
       b.captured_at as "creditedAt", a.ref as "accountRef", a.virtual_account_id as "virtualAccountId"
     from bank_payments b
     join bank_credits c on c.institute_id = b.institute_id and c.ref = b.ref
     join bank_virtual_accounts a on a.institute_id = c.institute_id and a.ref = c.account_ref
     where b.institute_id = $1 and b.${column} = $2`,
    [instituteId, value],
  )
  if (row === undefined) return null
  const { accountRef, virtualAccountId, ...credit } = row
  return { ...credit, account: { instituteId, ref: accountRef, virtualAccountId } }
}
