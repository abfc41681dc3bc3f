import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { LenderAccount } from './lenders.rules.ts'

const lenders = new Table<LenderAccount>('lenders', {
  code: 'text',
  title: 'text',
  kind: 'text',
  apiUrl: 'text',
  leastPaise: 'bigint',
  mostPaise: 'bigint',
  yearlyRateBp: 'int',
  months: 'int',
  secretSealed: 'bytea',
  previousSealed: 'bytea',
  previousUntil: 'timestamptz',
  pausedAt: 'timestamptz',
  createdAt: 'timestamptz',
})

/** False when the code is taken. */
export async function insertLender(db: Queryable, lender: LenderAccount): Promise<boolean> {
  return (await lenders.insert(db, [lender], { onConflict: 'on conflict (code) do nothing' })) === 1
}

export async function findLender(db: Queryable, code: string): Promise<LenderAccount | null> {
  const [row] = await db.query<LenderAccount>(
    `select ${lenders.columns('l')} from lenders l where code = $1`,
    [code],
  )
  return row ?? null
}

export async function lockLender(tx: Transaction, code: string): Promise<LenderAccount | null> {
  const [row] = await tx.query<LenderAccount>(
    `select ${lenders.columns('l')} from lenders l where code = $1 for update`,
    [code],
  )
  return row ?? null
}

export async function writeLender(tx: Transaction, lender: LenderAccount): Promise<void> {
  await lenders.update(tx, [lender], {
    key: ['code'],
    set: ['secretSealed', 'previousSealed', 'previousUntil', 'pausedAt'],
  })
}

export type ListedLender = LenderAccount & { institutes: string[]; openApplications: number }

/** An installation has a handful. */
export async function listLenders(db: Queryable): Promise<ListedLender[]> {
  return db.query<ListedLender>(
    `select ${lenders.columns('l')},
       coalesce(c.institutes, '{}') as institutes, coalesce(a.count, 0) as "openApplications"
     from lenders l
     left join (select c.lender, array_agg(i.code order by i.code) as institutes
       from institute_lenders c join institutes i on i.id = c.institute_id group by c.lender) c on c.lender = l.code
     left join (select lender, count(*)::int as count from cred_applications
       where sent_at is not null and state in ('started', 'filled', 'final_approved', 'agreement_signed')
       group by lender) a on a.lender = l.code
     order by l.code`,
  )
}

export async function findChosenLender(db: Queryable, instituteId: number): Promise<LenderAccount | null> {
  const [row] = await db.query<LenderAccount>(
    `select ${lenders.columns('l')} from institute_lenders c join lenders l on l.code = c.lender where c.institute_id = $1`,
    [instituteId],
  )
  return row ?? null
}

export async function chooseLender(tx: Transaction, instituteId: number, code: string | null): Promise<void> {
  if (code === null) await tx.query('delete from institute_lenders where institute_id = $1', [instituteId])
  else
    await tx.query(
      `insert into institute_lenders (institute_id, lender) values ($1, $2)
       on conflict (institute_id) do update set lender = excluded.lender`,
      [instituteId, code],
    )
}

/** Finds the institute of an application; null when it was never sent to this lender. */
export async function findInstituteOf(
  db: Queryable,
  lender: string,
  applicationId: string,
): Promise<number | null> {
  const [row] = await db.query<{ instituteId: number }>(
    `select institute_id as "instituteId" from cred_applications
     where lender = $1 and id = $2 and sent_at is not null`,
    [lender, applicationId],
  )
  return row?.instituteId ?? null
}
