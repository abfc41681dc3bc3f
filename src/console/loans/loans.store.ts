import { list, type Condition, type Page, type PageRange } from '../../platform/db/list.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { LoanState } from '../../loans/loans.rules.ts'

/** An application as lists show it: to the institute, and to the people of its lender. */
export type LoanRow = {
  id: string
  instituteId: number
  institute: string
  studentId: string
  student: string
  borrowerName: string
  borrowerPhone: string
  borrowerEmail: string
  lender: string
  lenderTitle: string
  state: LoanState
  askedPaise: Paise
  amountPaise: Paise
  createdAt: Date
  sentAt: Date | null
  acceptedAt: Date | null
}

const SELECT = `a.id, a.institute_id as "instituteId", i.name as institute, a.student_id as "studentId",
  s.fullname as student, s.primary_contact_name as "borrowerName", s.primary_contact_number as "borrowerPhone",
  s.primary_contact_email as "borrowerEmail", a.lender, a.lender_title as "lenderTitle", a.state,
  a.asked_paise as "askedPaise", a.amount_paise as "amountPaise", a.created_at as "createdAt", a.sent_at as "sentAt",
  a.accepted_at as "acceptedAt"`
const JOIN = `join institutes i on i.id = a.institute_id
  join students s on s.institute_id = a.institute_id and s.id = a.student_id`

/** A lender sees an application from the moment of the family's consent. */
export type LoanScope = { instituteId: number } | { lender: string }

function scopeOf(scope: LoanScope): Condition[] {
  return 'lender' in scope
    ? [['a.lender = $1', scope.lender], ['a.sent_at is not null']]
    : [['a.institute_id = $1', scope.instituteId]]
}

export type LoanFilter = { status?: LoanState | undefined }

/** Newest first; ids sort by creation. */
export async function listLoans(
  db: Queryable,
  scope: LoanScope,
  { status }: LoanFilter,
  page: PageRange,
): Promise<Page<LoanRow>> {
  return list<LoanRow>(
    db,
    {
      select: SELECT,
      from: 'cred_applications a',
      join: JOIN,
      scope: scopeOf(scope),
      filters: [['a.state = $1', status]],
      order: ['id'],
      direction: 'desc',
    },
    page,
  )
}

export async function findLoan(
  db: Queryable,
  { instituteId, applicationId }: { instituteId: number; applicationId: string },
): Promise<LoanRow | null> {
  const [row] = await db.query<LoanRow>(
    `select ${SELECT} from cred_applications a ${JOIN} where a.institute_id = $1 and a.id = $2`,
    [instituteId, applicationId],
  )
  return row ?? null
}

/** Tranches whose transfer went to the institute's own bank account and was not found there yet. */
export async function listUnconfirmed(
  db: Queryable,
  { instituteId, applicationId }: { instituteId: number; applicationId: string },
  account: string,
): Promise<string[]> {
  const rows = await db.query<{ trancheId: string }>(
    `select t.id as "trancheId" from cred_pay_outs p
     join cred_tranches t on t.institute_id = p.institute_id and t.id = p.tranche_id
     join payments y on y.institute_id = p.institute_id and y.id = p.payment_id
     where p.institute_id = $1 and p.application_id = $2 and p.received_at is null and y.account_id = $3
       and t.state in ('paid_out', 'failed')`,
    [instituteId, applicationId, account],
  )
  return rows.map(({ trancheId }) => trancheId)
}
