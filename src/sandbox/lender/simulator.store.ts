import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { LenderUpdate } from '../../loans/lender-port.ts'
import type { LenderLoan } from './simulator.rules.ts'

/** The sandbox lender's books. */
const COLUMNS = `institute_id as "instituteId", ref, application_id as "applicationId", state, asked_paise as "askedPaise",
  approved_paise as "approvedPaise", borrower, description, tranches, return_url as "returnUrl"`

/** The loan of an application, made if it is new. */
export async function openLoan(
  db: Queryable,
  loan: Omit<LenderLoan, 'state' | 'approvedPaise' | 'tranches'>,
): Promise<LenderLoan> {
  await db.query(
    `insert into lender_loans (institute_id, ref, application_id, asked_paise, borrower, description, return_url)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (institute_id, application_id) do nothing`,
    [
      loan.instituteId,
      loan.ref,
      loan.applicationId,
      loan.askedPaise,
      JSON.stringify(loan.borrower),
      loan.description,
      loan.returnUrl,
    ],
  )
  const made = await findLoan(db, loan.instituteId, { applicationId: loan.applicationId })
  if (made === null) throw new Error('the lender lost a loan')
  return made
}

export async function findLoan(
  db: Queryable,
  instituteId: number,
  key: { ref: string } | { applicationId: string },
): Promise<LenderLoan | null> {
  const [column, value] = 'ref' in key ? ['ref', key.ref] : ['application_id', key.applicationId]
  const [row] = await db.query<LenderLoan>(
    `select ${COLUMNS} from lender_loans where institute_id = $1 and ${column} = $2`,
    [instituteId, value],
  )
  return row ?? null
}

export async function lockLoan(
  tx: Transaction,
  instituteId: number,
  ref: string,
): Promise<LenderLoan | null> {
  const [row] = await tx.query<LenderLoan>(
    `select ${COLUMNS} from lender_loans where institute_id = $1 and ref = $2 for update`,
    [instituteId, ref],
  )
  return row ?? null
}

export async function writeLoan(tx: Transaction, loan: LenderLoan): Promise<void> {
  await tx.query(
    `update lender_loans set state = $3, approved_paise = $4, tranches = $5 where institute_id = $1 and ref = $2`,
    [loan.instituteId, loan.ref, loan.state, loan.approvedPaise, JSON.stringify(loan.tranches)],
  )
}

export async function insertUpdate(
  tx: Transaction,
  { instituteId, ref }: Pick<LenderLoan, 'instituteId' | 'ref'>,
  number: number,
  update: LenderUpdate,
): Promise<void> {
  await tx.query('insert into lender_updates (institute_id, ref, number, update) values ($1, $2, $3, $4)', [
    instituteId,
    ref,
    number,
    JSON.stringify(update),
  ])
}

/** All that there ever was to tell, in order; moments are texts, as JSON has them. */
export async function listUpdates(
  db: Queryable,
  { instituteId, ref }: Pick<LenderLoan, 'instituteId' | 'ref'>,
): Promise<(LenderUpdate & { at: Date | string })[]> {
  const rows = await db.query<{ update: LenderUpdate }>(
    'select update from lender_updates where institute_id = $1 and ref = $2 order by number',
    [instituteId, ref],
  )
  return rows.map(({ update }) => update)
}
