import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import type { RememberedTitles } from './columns.rules.ts'
import type { Gap, StatementFormat } from './lines.rules.ts'
import { lineState } from './lines.store.ts'

export type Statement = {
  id: string
  accountId: string
  fileName: string
  format: StatementFormat
  firstDay: string
  lastDay: string
  lineCount: number
  newLineCount: number
  uploadedBy: string
  uploadedAt: Date
}

const statements = new Table<Statement>('bank_statements', {
  id: 'text',
  accountId: 'text',
  fileName: 'text',
  format: 'text',
  firstDay: 'date',
  lastDay: 'date',
  lineCount: 'int',
  newLineCount: 'int',
  uploadedBy: 'text',
  uploadedAt: 'timestamptz',
})
const ofInstitute = statements.with<{ instituteId: number }>({ instituteId: 'int' })

export async function insertStatement(tx: Transaction, instituteId: number, one: Statement): Promise<void> {
  await ofInstitute.insert(tx, [{ ...one, instituteId }])
}

export async function setNewLineCount(
  tx: Transaction,
  instituteId: number,
  one: Pick<Statement, 'id' | 'newLineCount'>,
): Promise<void> {
  await ofInstitute.update(tx, [{ ...one, instituteId }], {
    key: ['instituteId', 'id'],
    set: ['newLineCount'],
  })
}

export type AccountStatus = {
  id: string
  name: string
  firstDay: string | null
  lastDay: string | null
  firstOpenDay: string | null
  openLines: number
  openCreditPaise: Paise
  openDebitPaise: Paise
  /** The newest first. */
  statements: (Omit<Statement, 'uploadedAt'> & { uploadedAt: string })[]
}

const MOST_STATEMENTS = 12
const MOST_GAPS = 500

export async function listAccounts(db: Queryable, instituteId: number): Promise<AccountStatus[]> {
  return db.query<AccountStatus>(
    `select a.id, a.name, c."firstDay", c."lastDay", o."firstOpenDay", coalesce(o."openLines", 0)::int as "openLines",
       coalesce(o."openCreditPaise", 0)::bigint as "openCreditPaise",
       coalesce(o."openDebitPaise", 0)::bigint as "openDebitPaise",
       (select coalesce(json_agg(${statements.json('s')} order by s.id desc), '[]') from (
          select * from bank_statements s where s.institute_id = $1 and s.account_id = a.id
          order by s.id desc limit ${MOST_STATEMENTS}) s) as statements
     from bank_accounts a
     left join lateral (select min(s.first_day) as "firstDay", max(s.last_day) as "lastDay" from bank_statements s
       where s.institute_id = $1 and s.account_id = a.id) c on true
     left join lateral (select min(l.day) as "firstOpenDay", count(*) as "openLines",
         sum(l.amount_paise) filter (where l.amount_paise > 0) as "openCreditPaise",
         -sum(l.amount_paise) filter (where l.amount_paise < 0) as "openDebitPaise"
       from bank_lines l where l.institute_id = $1 and l.account_id = a.id and ${lineState('$1')} = 'open') o on true
     where a.institute_id = $1 order by a.id`,
    [instituteId],
  )
}

/** Adds up the lines of one day. */
const balances = (what: string, day: string): string =>
  `(select coalesce(json_agg(${what}), '[]') from bank_lines l where l.institute_id = $1 and l.account_id = s.account_id
     and l.day = ${day} and l.balance_paise is not null)`

/** Days between two statements of an account that no other statement covers. */
export async function listGaps(db: Queryable, instituteId: number): Promise<(Gap & { accountId: string })[]> {
  return db.query<Gap & { accountId: string }>(
    `select s.account_id as "accountId", s.reached as after, s.first_day as before,
       ${balances('l.balance_paise', 's.reached')} as closing,
       ${balances('l.balance_paise - l.amount_paise', 's.first_day')} as opening
     from (select account_id, first_day, max(last_day) over (partition by account_id order by first_day, last_day
         rows between unbounded preceding and 1 preceding) as reached
       from bank_statements where institute_id = $1) s
     where s.first_day > s.reached + 1 order by s.account_id, s.first_day limit ${MOST_GAPS}`,
    [instituteId],
  )
}

export async function readTitles(
  db: Queryable,
  instituteId: number,
  accountId: string,
): Promise<RememberedTitles | null> {
  const [row] = await db.query<{ columns: RememberedTitles | null }>(
    'select columns from bank_accounts where institute_id = $1 and id = $2',
    [instituteId, accountId],
  )
  return row?.columns ?? null
}

export async function writeTitles(
  tx: Transaction,
  instituteId: number,
  accountId: string,
  titles: RememberedTitles,
): Promise<void> {
  await tx.query('update bank_accounts set columns = $3 where institute_id = $1 and id = $2', [
    instituteId,
    accountId,
    JSON.stringify(titles),
  ])
}
