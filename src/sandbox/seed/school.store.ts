import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { SeededPayment } from './seed.rules.ts'

/** Some students, and what everything about them is made of; nothing is random, so every statement agrees. */
export type Batch = {
  instituteId: number
  /** The students' numbers, from which their names, families and classes follow. */
  numbers: readonly number[]
  /** Number 12 is in this class. */
  firstGrade: number
  yearStart: number
  /** When they were registered. */
  since: Date
  /** The components that they pay by the term or the year, in equal parts. */
  tuition: readonly string[]
  /** What begins their admission numbers, and how many digits follow. */
  prefix: string
  digits: number
  /** The time in the ids. */
  stamp: string
  now: Date
  firstNames: readonly string[]
  surnames: readonly string[]
  branches: readonly string[]
  payments: readonly SeededPayment[]
}

/** A name for a number, the same each time and without a pattern that shows. */
const pick = (names: string, number: string): string =>
  `${names}[1 + abs(hashint4(${number}) % cardinality(${names}))]`

/**
 * Pupils: every fifth is the brother or sister of the one before. Money of one day and branch in a batch is one settlement. $15 to $21 are the
 * payments, column by column.
 */
const BATCH = `
  input as (
    select $1::int as institute_id, $2::text as stamp, $3::timestamptz as now, $4::text[] as first_names, $5::text[] as surnames,
      $6::text[] as branches, $7::int as first_grade, $8::int as year_start, $9::timestamptz as since, $10::text[] as terms,
      $11::text as prefix, $12::int as digits, $13::text as batch
  ), numbers as (
    select i.*, n, n - (n % 5 = 4)::int as family, i.first_grade + n % 12 as grade, n % 2 = 0 as rides,
      case when n % 5 = 4 then 500000 else 0 end as off
    from input i, unnest($14::int[]) as n
  ), pupils as (
    select b.*, 'student_' || stamp || substr(md5('student' || batch || n), 1, 15) as id, prefix || lpad(n::text, digits, '0') as identifier,
      ${pick('first_names', 'n')} || ' ' || ${pick('surnames', 'family + 7')} as fullname,
      ${pick('first_names', 'family + 3')} || ' ' || ${pick('surnames', 'family + 7')} as parent,
      (6 + family % 4)::text || lpad((family::bigint * 7919 % 1000000000)::text, 9, '0') as phone,
      lower(${pick('first_names', 'family + 3')} || '.' || ${pick('surnames', 'family + 7')}) || family || '@example.in' as email,
      'seed-parent-' || family as registration_id,
      branches[1 + n % cardinality(branches)] as collector_code,
      6000000 + grade * 200000 as tuition
    from numbers b
  ), paid as (
    select p.*, d.k, d.component_type, d.tuition_part, d.ride_part, d.settled_on,
      (d.paid_on + make_interval(hours => 9, mins => p.n * 37 % 600)) at time zone 'Asia/Kolkata' as paid_at,
      (d.settled_on + make_interval(hours => 10)) at time zone 'Asia/Kolkata' as settled_at
    from unnest($15::int[], $16::int[], $17::text[], $18::bigint[], $19::bigint[], $20::date[], $21::date[])
      as d (n, k, component_type, tuition_part, ride_part, paid_on, settled_on) join pupils p on p.n = d.n
  ), debits as (
    select p.*, 'order_' || stamp || substr(md5('order' || batch || n || '-' || k), 1, 15) as order_id,
      'pay_' || stamp || substr(md5('pay' || batch || n || '-' || k), 1, 15) as payment_id,
      'bank_' || stamp || substr(md5('pay' || batch || n || '-' || k), 1, 15) as ref,
      'SEED' || upper(substr(md5('bank' || batch || n || '-' || k), 1, 12)) as transaction_id,
      'stl_' || stamp || substr(md5('stl' || batch || collector_code || settled_on), 1, 15) as settlement_id,
      'SEEDN' || upper(substr(md5('utr' || batch || collector_code || settled_on), 1, 11)) as utr,
      (array['upi', 'card', 'upi', 'netbanking'])[1 + (n + k) % 4] as mode
    from paid p where settled_on is not null
  )`

const day = (moment: string): string => `(${moment} at time zone 'Asia/Kolkata')::date`
const FINANCIAL_YEAR = `to_char(${day('paid_at')} - interval '3 months', 'YYYY') || '-'
  || to_char(${day('paid_at')} + interval '9 months', 'YY')`

const STATEMENTS: readonly string[] = [
  `insert into users (institute_id, registration_id, id, name, phone, email, created_at)
   select institute_id, registration_id, 'user_' || stamp || substr(md5('user' || n), 1, 15), parent, phone, email,
     since from pupils where family = n on conflict do nothing`,
  `insert into students (institute_id, id, collector_code, identifier, grade, section, academic_year_start, academic_year_end,
     fullname, new_admission, date_of_birth, primary_contact_name, primary_contact_number, primary_contact_email, status,
     created_at, updated_at)
   select institute_id, id, collector_code, identifier, grade::text, chr(65 + n / 12 % 2), year_start, year_start + 1, fullname,
     n % 6 = 0,
     (now - make_interval(years => 5 + grade, days => n % 300))::date, parent, phone, email,
     case when n % 50 = 49 then 'dropped' else 'active' end, since, since from pupils`,
  `insert into student_users (institute_id, student_id, registration_id, linked_at)
   select institute_id, id, registration_id, since from pupils`,
  `insert into fee_components (institute_id, student_id, component_type, position, fee_paise, discounts)
   select institute_id, id, term, no, tuition / cardinality(terms) / 50000 * 50000, case when off = 0 then '[]'::jsonb
     else jsonb_build_array(jsonb_build_object('discountType', 'SIBLING', 'valuePaise', off / cardinality(terms) / 50000 * 50000)) end
   from pupils, unnest(terms) with ordinality as t (term, no)
   union all select institute_id, id, 'TRANSPORT_FEE', cardinality(terms) + 1, 1200000, '[]' from pupils where rides`,
  `insert into fee_changes (institute_id, student_id, component_type, changed_at, source, fee_after_paise, discounts_after)
   select c.institute_id, c.student_id, c.component_type, p.since, 'registration', c.fee_paise, c.discounts
   from pupils p join fee_components c on c.institute_id = p.institute_id and c.student_id = p.id`,
  `insert into orders (institute_id, id, kind, collector_code, state, name, phone, email, identifier, student_name, grade,
     academic_year_start, academic_year_end, new_admission, notes, transaction_id, paid_at, created_at, student_id)
   select institute_id, order_id, 'student', collector_code, 'paid', parent, phone, email, identifier, fullname, grade::text,
     year_start, year_start + 1, false, '[]', transaction_id, paid_at, paid_at - interval '4 minutes', id from debits`,
  `insert into order_lines (institute_id, order_id, line_no, component_type, amount_paise, settlement_utr, settled_at)
   select institute_id, order_id, 1, component_type, tuition_part, utr, settled_at from debits
   union all
   select institute_id, order_id, 2, 'TRANSPORT_FEE', ride_part, utr, settled_at from debits where ride_part > 0`,
  `insert into dues_orders (institute_id, order_id, student_id, late_fees)
   select institute_id, order_id, id, '[]' from debits`,
  `insert into payments (institute_id, id, order_id, provider, account_id, state, amount_paise, mode, provider_ref, transaction_id,
     created_at, captured_at, settle_due_on, settlement_id)
   select institute_id, payment_id, order_id, 'sandbox', 'sandbox', 'captured', tuition_part + ride_part, mode, ref, transaction_id,
     paid_at - interval '3 minutes', paid_at, ${day('settled_at')}, settlement_id from debits`,
  `insert into bank_settlements (institute_id, utr, collector_code, settled_at)
   select distinct institute_id, utr, collector_code, settled_at from debits`,
  `insert into bank_payments (institute_id, ref, payment_id, collector_code, amount_paise, state, mode, transaction_id,
     return_url, captured_at, settlement_utr)
   select institute_id, ref, payment_id, collector_code, tuition_part + ride_part, 'captured', mode, transaction_id, '',
     paid_at, utr from debits`,
  `insert into settlements (institute_id, id, provider, account_id, collector_code, utr, settled_at, gross_paise, fee_paise,
     refund_paise, net_paise)
   select institute_id, settlement_id, 'sandbox', 'sandbox', collector_code, utr, settled_at, sum(tuition_part + ride_part), 0, 0,
     sum(tuition_part + ride_part) from debits group by institute_id, settlement_id, collector_code, utr, settled_at`,
  `insert into ledger_postings (institute_id, kind, reference, occurred_at)
   select institute_id, 'payment_captured', payment_id, paid_at from debits
   union all select distinct institute_id, 'settled', settlement_id, settled_at from debits`,
  `insert into ledger_transfers (institute_id, posting_id, line_no, source, destination, amount_paise)
   select d.institute_id, p.id, 1, 'institute_payable', 'provider_receivable', d.tuition_part + d.ride_part
   from debits d join ledger_postings p on p.institute_id = d.institute_id and p.kind = 'payment_captured'
     and p.reference = d.payment_id`,
  `insert into ledger_transfers (institute_id, posting_id, line_no, source, destination, amount_paise)
   select s.institute_id, p.id, t.no, t.source, t.destination, s.net_paise
   from (select distinct institute_id, settlement_id from debits) d
   join settlements s on s.institute_id = d.institute_id and s.id = d.settlement_id
   join ledger_postings p on p.institute_id = d.institute_id and p.kind = 'settled' and p.reference = d.settlement_id
   cross join (values (1, 'provider_receivable', 'settlement_bank'), (2, 'institute_settled', 'institute_payable'))
     as t (no, source, destination)`,
  // Last, because others that issue receipts wait for it.
  `, counted as (
     insert into receipt_counters as c (institute_id, financial_year, last_number)
     select institute_id, ${FINANCIAL_YEAR}, count(*) from debits group by 1, 2
     on conflict (institute_id, financial_year) do update set last_number = c.last_number + excluded.last_number
     returning financial_year, last_number
   )
   insert into receipts (institute_id, financial_year, number, payment_id, issued_at, payer_notified_at)
   select d.institute_id, d.year, c.last_number + 1 - d.place, d.payment_id, d.paid_at, d.paid_at
   from (select *, row_number() over (partition by year order by paid_at desc, payment_id desc) as place
     from (select *, ${FINANCIAL_YEAR} as year from debits) d) d join counted c on c.financial_year = d.year`,
  `insert into direct_payments (institute_id, student_id, transaction_id, id, amount_paise, paid_at, mode, recorded_at)
   select institute_id, id, 'SEED-CASH-' || n || '-' || k, 'pay_' || stamp || substr(md5('cash' || batch || n || '-' || k), 1, 15),
     tuition_part + ride_part, paid_at, 'cash', paid_at from paid where settled_on is null`,
  `insert into direct_payment_lines (institute_id, student_id, transaction_id, line_no, component_type, amount_paise)
   select institute_id, id, 'SEED-CASH-' || n || '-' || k, 1, component_type, tuition_part from paid where settled_on is null
   union all
   select institute_id, id, 'SEED-CASH-' || n || '-' || k, 2, 'TRANSPORT_FEE', ride_part from paid
   where settled_on is null and ride_part > 0`,
]

/** Answers the ids of its students. */
export async function insertBatch(tx: Transaction, batch: Batch): Promise<string[]> {
  const { payments } = batch
  const values = [
    batch.instituteId,
    batch.stamp,
    batch.now,
    batch.firstNames,
    batch.surnames,
    batch.branches,
    batch.firstGrade,
    batch.yearStart,
    batch.since,
    batch.tuition,
    batch.prefix,
    batch.digits,
    `${batch.prefix}${batch.yearStart} ${batch.numbers[0]} `,
    batch.numbers,
    payments.map(({ n }) => n),
    payments.map(({ k }) => k),
    payments.map(({ componentType }) => componentType),
    payments.map(({ tuitionPaise }) => tuitionPaise),
    payments.map(({ ridePaise }) => ridePaise),
    payments.map(({ paidOn }) => paidOn),
    payments.map(({ settledOn }) => settledOn),
  ]
  for (const statement of STATEMENTS) await tx.query(`with ${BATCH} ${statement}`, values)
  const pupils = await tx.query<{ id: string }>(`with ${BATCH} select id from pupils`, values)
  return pupils.map(({ id }) => id)
}

/** Gives fees that have a rule another due day. */
export async function setDueDays(
  tx: Transaction,
  instituteId: number,
  days: readonly { componentType: string; dueOn: string }[],
): Promise<void> {
  await tx.query(
    `update late_fee_rules r set due_on = d.due_on
     from unnest($2::text[], $3::date[]) as d (component_type, due_on)
     where r.institute_id = $1 and r.component_type = d.component_type`,
    [instituteId, days.map(({ componentType }) => componentType), days.map(({ dueOn }) => dueOn)],
  )
}

/** The number that the next student gets. */
export async function countSeeded(db: Queryable, instituteId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) from students where institute_id = $1 and identifier like 'SEED-%'`,
    [instituteId],
  )
  return row?.count ?? 0
}

const TABLES = [
  'users',
  'students',
  'student_users',
  'fee_components',
  'student_balances',
  'orders',
  'order_lines',
  'payments',
  'receipts',
  'direct_payments',
  'ledger_postings',
  'ledger_transfers',
  'settlements',
]

/** Lets the planner know at once how much there is. */
export async function analyseTables(db: Queryable): Promise<void> {
  for (const table of TABLES) await db.query(`analyze ${table}`)
}
