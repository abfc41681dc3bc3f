import {
  type Application,
  BANK_TRANSFER,
  type Emi,
  type LoanFile,
  type LoanState,
  type RecordedPayOut,
  type Tranche,
} from './loans.rules.ts'
import type { Database, Queryable, Transaction } from '../platform/db/database.ts'
import { list, type Page, type PageRange } from '../platform/db/list.ts'
import { isHere } from '../platform/db/query.ts'
import { Table } from '../platform/db/table.ts'
import { leasedRows } from '../platform/jobs/due-rows.ts'

export type LoanKey = { instituteId: number; applicationId: string }

const applications = new Table<Application>('cred_applications', {
  instituteId: 'int',
  id: 'text',
  studentId: 'text',
  collectorCode: 'text',
  lender: 'text',
  lenderTitle: 'text',
  lenderRef: 'text',
  lenderUrl: 'text',
  state: 'text',
  askedPaise: 'bigint',
  amountPaise: 'bigint',
  reason: 'text',
  lenderProblem: 'text',
  offer: 'jsonb',
  replacedOffers: 'jsonb',
  acceptedAt: 'timestamptz',
  acceptanceSentAt: 'timestamptz',
  acceptance: 'jsonb',
  createdAt: 'timestamptz',
  sentAt: 'timestamptz',
  borrower: 'jsonb',
  filledAt: 'timestamptz',
  approvedAt: 'timestamptz',
  signedAt: 'timestamptz',
  endedAt: 'timestamptz',
  expiresAt: 'timestamptz',
  ending: 'text',
  nextCheckAt: 'timestamptz',
  checks: 'int',
})
const tranches = new Table<Tranche>('cred_tranches', {
  id: 'text',
  number: 'int',
  lenderRef: 'text',
  state: 'text',
  plannedOn: 'date',
  amountPaise: 'bigint',
  disbursedPaise: 'bigint',
  settlementUtr: 'text',
  failure: 'text',
})
const payOuts = new Table<RecordedPayOut>('cred_pay_outs', {
  number: 'int',
  trancheId: 'text',
  orderId: 'text',
  paymentId: 'text',
  amountPaise: 'bigint',
  reference: 'text',
  paidOutAt: 'timestamptz',
  receivedAt: 'timestamptz',
  missingAt: 'timestamptz',
  returnedPaise: 'bigint',
  returnedAt: 'timestamptz',
  withdrawnAt: 'timestamptz',
  remindedAt: 'timestamptz',
})
const emis = new Table<Emi>('cred_emis', {
  id: 'text',
  lenderRef: 'text',
  dueOn: 'date',
  paidAt: 'timestamptz',
  amountPaise: 'bigint',
})
const OF_LOAN = { instituteId: 'int', applicationId: 'text' } as const
const tranchesOfLoans = tranches.with<LoanKey>(OF_LOAN)
const payOutsOfLoans = payOuts.with<LoanKey>(OF_LOAN)
const emisOfLoans = emis.with<LoanKey>(OF_LOAN)

const COLUMNS = applications.columns('a')

/** False when the student has an open application. */
export async function insertApplication(tx: Transaction, application: Application): Promise<boolean> {
  const count = await applications.insert(tx, [application], {
    onConflict: `on conflict (institute_id, student_id)
      where state in ('started', 'filled', 'final_approved', 'agreement_signed') do nothing`,
  })
  return count === 1
}

/** The student's open application; a unique index allows only one. */
export async function findLive(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<Application | null> {
  const [row] = await db.query<Application>(
    `select ${COLUMNS} from cred_applications a where institute_id = $1 and student_id = $2
       and state in ('started', 'filled', 'final_approved', 'agreement_signed')`,
    [instituteId, studentId],
  )
  return row ?? null
}

export async function findApplication(
  db: Queryable,
  { instituteId, applicationId }: LoanKey,
): Promise<Application | null> {
  const [row] = await db.query<Application>(
    `select ${COLUMNS} from cred_applications a where institute_id = $1 and id = $2`,
    [instituteId, applicationId],
  )
  return row ?? null
}

/** Every change to a loan locks its application first. */
export async function lockFile(tx: Transaction, key: LoanKey): Promise<LoanFile | null> {
  const rows = await tx.query(
    'select 1 from cred_applications where institute_id = $1 and id = $2 for update',
    [key.instituteId, key.applicationId],
  )
  return rows.length === 0 ? null : readFile(tx, key)
}

/** An application with its tranches, pay-outs and EMIs. */
export async function readFile(db: Queryable, key: LoanKey): Promise<LoanFile | null> {
  const application = await findApplication(db, key)
  if (application === null) return null
  const values = [key.instituteId, key.applicationId]
  const of = 'where institute_id = $1 and application_id = $2'
  return {
    application,
    tranches: await db.query<Tranche>(
      `select ${tranches.columns('t')} from cred_tranches t ${of} order by planned_on, number`,
      values,
    ),
    payOuts: await db.query<RecordedPayOut>(
      `select ${payOuts.columns('p')} from cred_pay_outs p ${of} order by number`,
      values,
    ),
    emis: await db.query<Emi>(
      `select ${emis.columns('e')} from cred_emis e ${of} order by paid_at, id`,
      values,
    ),
  }
}

export async function writeProblem(tx: Transaction, key: LoanKey, problem: string): Promise<void> {
  await tx.query('update cred_applications set lender_problem = $3 where institute_id = $1 and id = $2', [
    key.instituteId,
    key.applicationId,
    problem,
  ])
}

/** Writes all mutable columns. */
export async function writeApplication(tx: Transaction, application: Application): Promise<void> {
  await applications.update(tx, [application], {
    key: ['instituteId', 'id'],
    set: [
      'state',
      'amountPaise',
      'reason',
      'lenderProblem',
      'offer',
      'replacedOffers',
      'acceptedAt',
      'acceptanceSentAt',
      'acceptance',
      'lenderRef',
      'lenderUrl',
      'sentAt',
      'borrower',
      'filledAt',
      'approvedAt',
      'signedAt',
      'endedAt',
      'expiresAt',
      'ending',
      'nextCheckAt',
      'checks',
    ],
  })
}

export async function writeTranche(tx: Transaction, key: LoanKey, tranche: Tranche): Promise<void> {
  await tranchesOfLoans.insert(tx, [{ ...tranche, ...key }], {
    onConflict: `on conflict (institute_id, id) do update set state = excluded.state, planned_on = excluded.planned_on,
      amount_paise = excluded.amount_paise, disbursed_paise = excluded.disbursed_paise,
      settlement_utr = excluded.settlement_utr, failure = excluded.failure`,
  })
}

export async function insertPayOut(tx: Transaction, key: LoanKey, payOut: RecordedPayOut): Promise<void> {
  await payOutsOfLoans.insert(tx, [{ ...payOut, ...key }])
}

export async function writeReceipt(tx: Transaction, key: LoanKey, payOut: RecordedPayOut): Promise<void> {
  await payOutsOfLoans.update(tx, [{ ...payOut, ...key }], {
    key: ['instituteId', 'applicationId', 'number'],
    set: ['receivedAt', 'missingAt', 'returnedPaise', 'returnedAt', 'withdrawnAt', 'remindedAt'],
  })
}

export async function findPayOut(
  db: Queryable,
  { instituteId, paymentId }: { instituteId: number; paymentId: string },
): Promise<RecordedPayOut | null> {
  const [row] = await db.query<RecordedPayOut>(
    `select ${payOuts.columns('p')} from cred_pay_outs p where institute_id = $1 and payment_id = $2`,
    [instituteId, paymentId],
  )
  return row ?? null
}

type Span = { from: Date; before: Date; instituteId?: number | undefined }

/** Transfers that institutes found on their statements, or gave back, within a span of time. */
export async function listMoved(
  db: Queryable,
  moved: 'received_at' | 'returned_at',
  { from, before, instituteId }: Span,
): Promise<(RecordedPayOut & { instituteId: number })[]> {
  return db.query(
    `select ${payOuts.columns('p')}, p.institute_id as "instituteId" from cred_pay_outs p
     where p.${moved} >= $1 and p.${moved} < $2 and ($3::int is null or p.institute_id = $3) and ${isHere('p.institute_id')}
     order by p.institute_id, p.${moved}`,
    [from, before, instituteId ?? null],
  )
}

export async function insertEmi(tx: Transaction, key: LoanKey, emi: Emi): Promise<void> {
  await emisOfLoans.insert(tx, [{ ...emi, ...key }])
}

/** The loans that these orders are pay-outs of, sorted so that concurrent lockers cannot deadlock. */
export async function findByOrders(
  tx: Transaction,
  instituteId: number,
  orderIds: readonly string[],
): Promise<{ applicationId: string; orderId: string; trancheId: string; number: number }[]> {
  return tx.query(
    `select application_id as "applicationId", order_id as "orderId", tranche_id as "trancheId", number
     from cred_pay_outs where institute_id = $1 and order_id = any($2) order by application_id, number`,
    [instituteId, orderIds],
  )
}

export type LoanFilter = {
  studentId?: string | undefined
  status?: LoanState | undefined
  collectorCode?: string | undefined
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
}

/** Newest first; ids sort by creation. */
export async function listApplications(
  db: Queryable,
  instituteId: number,
  filter: LoanFilter,
  page: PageRange,
): Promise<Page<Application>> {
  return list<Application>(
    db,
    {
      select: COLUMNS,
      from: 'cred_applications a',
      scope: [['a.institute_id = $1', instituteId]],
      filters: [
        ['a.student_id = $1', filter.studentId],
        ['a.state = $1', filter.status],
        ['a.collector_code = $1', filter.collectorCode],
        ['a.created_at >= $1', filter.createdFrom],
        ['a.created_at < $1', filter.createdBefore],
      ],
      order: ['id'],
      direction: 'desc',
    },
    page,
  )
}

/** Applications due for a status check at the lender. */
export const toCheck = leasedRows<Application>({
  table: 'cred_applications',
  dueAt: 'next_check_at',
  attempts: 'checks',
  columns: applications.columns('cred_applications'),
})

export async function nextExpiry(db: Database, after: Date): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(expires_at) as at from cred_applications
     where state in ('started', 'filled', 'final_approved') and expires_at > $1 and ${isHere()}`,
    [after],
  )
  return row?.at ?? null
}

/** Transfers under these references that nobody has found or missed yet, in the order in which loans are locked. */
export async function listUnconfirmed(
  tx: Transaction,
  instituteId: number,
  references: readonly string[],
): Promise<{ applicationId: string; number: number }[]> {
  if (references.length === 0) return []
  return tx.query<{ applicationId: string; number: number }>(
    `select o.application_id as "applicationId", o.number from cred_pay_outs o
     join payments p on p.institute_id = o.institute_id and p.id = o.payment_id
     where o.institute_id = $1 and o.reference = any($2) and p.account_id = $3
       and o.received_at is null and o.missing_at is null order by o.application_id, o.number`,
    [instituteId, references, BANK_TRANSFER],
  )
}

/** The lock of the application keeps two uploads from the same version. */
export async function insertLetter(
  tx: Transaction,
  { instituteId, applicationId }: LoanKey,
  { version, content, digest, at }: { version: number; content: Buffer; digest: Buffer; at: Date },
): Promise<void> {
  await tx.query(
    `insert into cred_letters (institute_id, application_id, version, content, digest, uploaded_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [instituteId, applicationId, version, content, digest, at],
  )
}

/** The newest, or one version. */
export async function findLetter(
  db: Queryable,
  { instituteId, applicationId }: LoanKey,
  version: number | null,
): Promise<Buffer | null> {
  const [row] = await db.query<{ content: Buffer }>(
    `select content from cred_letters
     where institute_id = $1 and application_id = $2 and ($3::int is null or version = $3)
     order by version desc limit 1`,
    [instituteId, applicationId, version],
  )
  return row?.content ?? null
}

export type LetterVersion = { version: number; uploadedAt: Date }

/** Newest first. */
export async function listLetters(
  db: Queryable,
  { instituteId, applicationId }: LoanKey,
): Promise<LetterVersion[]> {
  return db.query<LetterVersion>(
    `select version, uploaded_at as "uploadedAt" from cred_letters
     where institute_id = $1 and application_id = $2 order by version desc`,
    [instituteId, applicationId],
  )
}
