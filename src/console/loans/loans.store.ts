import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import { BANK_TRANSFER, type LoanState } from '../../loans/loans.rules.ts'

/** An application as lists show it: to the institute, and to the people of its lender. */
export type LoanRow = {
  id: string
  instituteId: number
  institute: string
  studentId: string
  student: string
  borrowerName: string
  borrowerPhone: string | null
  borrowerEmail: string | null
  lender: string
  lenderTitle: string
  state: LoanState
  askedPaise: Paise
  amountPaise: Paise
  createdAt: Date
  sentAt: Date | null
  acceptedAt: Date | null
  /** Transfers that the institute has still to look for. */
  unconfirmed: number
}

/** Applications with their students. */
export const LOANS = {
  select: `a.id, a.institute_id as "instituteId", i.name as institute, a.student_id as "studentId",
  coalesce(a.borrower ->> 'student', s.fullname) as student,
  coalesce(a.borrower ->> 'name', s.primary_contact_name) as "borrowerName",
  coalesce(a.borrower ->> 'phone', s.primary_contact_number) as "borrowerPhone",
  coalesce(a.borrower ->> 'email', s.primary_contact_email) as "borrowerEmail", a.lender, a.lender_title as "lenderTitle", a.state,
  a.asked_paise as "askedPaise", a.amount_paise as "amountPaise", a.created_at as "createdAt", a.sent_at as "sentAt",
  a.accepted_at as "acceptedAt",
  (select count(*)::int from cred_pay_outs p
   join payments y on y.institute_id = p.institute_id and y.id = p.payment_id
   where p.institute_id = a.institute_id and p.application_id = a.id and p.received_at is null
     and p.missing_at is null and y.account_id = '${BANK_TRANSFER}') as unconfirmed`,
  from: 'cred_applications a',
  join: `join institutes i on i.id = a.institute_id
  join students s on s.institute_id = a.institute_id and s.id = a.student_id`,
}

export async function findLoan(
  db: Queryable,
  { instituteId, applicationId }: { instituteId: number; applicationId: string },
): Promise<LoanRow | null> {
  const [row] = await db.query<LoanRow>(
    `select ${LOANS.select} from ${LOANS.from} ${LOANS.join} where a.institute_id = $1 and a.id = $2`,
    [instituteId, applicationId],
  )
  return row ?? null
}

const UNCONFIRMED = `cred_pay_outs p
   join payments y on y.institute_id = p.institute_id and y.id = p.payment_id and y.account_id = '${BANK_TRANSFER}'`

/** Disbursements that nobody at the institute has looked for yet. */
export async function countUnconfirmed(db: Queryable, instituteId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from ${UNCONFIRMED}
     where p.institute_id = $1 and p.received_at is null and p.missing_at is null`,
    [instituteId],
  )
  return row?.count ?? 0
}

/** Transfers to the institute's own bank account that nobody has found there yet, by their numbers. */
export async function listUnconfirmed(
  db: Queryable,
  { instituteId, applicationId }: { instituteId: number; applicationId: string },
): Promise<number[]> {
  const rows = await db.query<{ number: number }>(
    `select p.number from ${UNCONFIRMED}
     where p.institute_id = $1 and p.application_id = $2 and p.received_at is null`,
    [instituteId, applicationId],
  )
  return rows.map(({ number }) => number)
}
