import type { Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import { institutesOf, nameRows } from '../platform/db/query.ts'
import type { Paise } from '../platform/money.ts'
import type {
  Allocation,
  LateFeeRule,
  PartPayment,
  Redeemed,
  Share,
  Surplus,
  TransferRule,
  DuePart,
} from './dues.rules.ts'
import type { StudentKey } from '../students/students.rules.ts'

export type PaymentRules = {
  partPayment: PartPayment
  allocation: Allocation
  surplus: Surplus
  transfers: TransferRule
  /** Transfers of somebody who never sent money for the student wait for the office. */
  holdsUnknown: boolean
  lateFees: LateFeeRule[]
}

type RulesRow = {
  instituteId: number
  isAllowed: boolean | null
  leastPaise: Paise | null
  allocation: Allocation | null
  surplus: Surplus | null
  transfers: TransferRule | null
  holdsUnknown: boolean | null
  rules: RuleJson[]
}

type RuleJson = {
  id: string
  componentType: string | null
  dueOn: string
  graceDays: number
  kind: 'none' | 'per_day' | 'slab'
  perDayPaise: Paise | null
  slabs: { fromDay: number; amountPaise: Paise }[]
  capPaise: Paise | null
}

const lateFeeRules = new Table<RuleJson>('late_fee_rules', {
  id: 'text',
  componentType: 'text',
  dueOn: 'date',
  graceDays: 'int',
  kind: 'text',
  perDayPaise: 'bigint',
  slabs: 'jsonb',
  capPaise: 'bigint',
})
const rulesOfInstitutes = lateFeeRules.with<{ instituteId: number; position: number }>({
  instituteId: 'int',
  position: 'int',
})

/** Institutes that never set rules get the standard ones. */
export async function readRules(
  db: Queryable,
  instituteIds: readonly number[],
): Promise<Map<number, PaymentRules>> {
  const rows = await db.query<RulesRow>(
    `select i.id as "instituteId", p.part_payments as "isAllowed", p.least_part_paise as "leastPaise", p.allocation, p.surplus,
       p.transfers, p.holds_unknown_remitters as "holdsUnknown", coalesce(r.rules, '[]') as rules
     from unnest($1::int[]) as i (id) left join (
       select * from payment_rules where institute_id = any($1)) p on p.institute_id = i.id
     left join (select r.institute_id, json_agg(${lateFeeRules.json('r')} order by r.position) as rules from late_fee_rules r
       where r.institute_id = any($1) group by r.institute_id) r on r.institute_id = i.id`,
    [[...new Set(instituteIds)]],
  )
  return new Map(rows.map(row => [row.instituteId, toRules(row)]))
}

const LEAST_PART_PAISE = 100 as Paise

function toRules(row: RulesRow): PaymentRules {
  return {
    partPayment: { isAllowed: row.isAllowed ?? true, leastPaise: row.leastPaise ?? LEAST_PART_PAISE },
    allocation: row.allocation ?? 'oldest_due',
    surplus: row.surplus ?? 'refund',
    transfers: row.transfers ?? 'oldest_due',
    holdsUnknown: row.holdsUnknown ?? false,
    lateFees: row.rules.map(rule => ({
      id: rule.id,
      componentType: rule.componentType,
      dueOn: rule.dueOn,
      graceDays: rule.graceDays,
      charge: chargeOf(rule),
      capPaise: rule.capPaise,
    })),
  }
}

function chargeOf({ kind, perDayPaise, slabs }: RuleJson): LateFeeRule['charge'] {
  if (kind === 'slab') return { kind, slabs }
  return kind === 'per_day' && perDayPaise !== null ? { kind, amountPaise: perDayPaise } : { kind: 'none' }
}

/** Replaces them whole. A rule that stays the same keeps its id, so that what was paid of it still counts. */
export async function writeRules(tx: Transaction, instituteId: number, rules: PaymentRules): Promise<void> {
  await tx.query(
    `insert into payment_rules
       (institute_id, part_payments, least_part_paise, allocation, surplus, transfers, holds_unknown_remitters)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (institute_id) do update set part_payments = excluded.part_payments,
       least_part_paise = excluded.least_part_paise, allocation = excluded.allocation, surplus = excluded.surplus,
       transfers = excluded.transfers, holds_unknown_remitters = excluded.holds_unknown_remitters`,
    [
      instituteId,
      rules.partPayment.isAllowed,
      rules.partPayment.leastPaise,
      rules.allocation,
      rules.surplus,
      rules.transfers,
      rules.holdsUnknown,
    ],
  )
  await tx.query('delete from late_fee_rules where institute_id = $1', [instituteId])
  await rulesOfInstitutes.insert(
    tx,
    rules.lateFees.map((rule, index) => ({ ...toRow(rule), instituteId, position: index + 1 })),
  )
}

function toRow({ charge, ...rule }: LateFeeRule): RuleJson {
  return {
    ...rule,
    kind: charge.kind,
    perDayPaise: charge.kind === 'per_day' ? charge.amountPaise : null,
    slabs: charge.kind === 'slab' ? [...charge.slabs] : [],
  }
}

/** What was paid or let off, by student and rule. */
export async function readRedeemed(
  db: Queryable,
  keys: readonly { instituteId: number; studentId: string }[],
): Promise<Map<string, Map<string, Redeemed>>> {
  const rows = await db.query<Redeemed & { studentId: string; ruleId: string }>(
    `select e.student_id as "studentId", e.rule_id as "ruleId",
       coalesce(sum(e.amount_paise) filter (where e.kind = 'charged'), 0)::bigint as "chargedPaise",
       coalesce(sum(e.amount_paise) filter (where e.kind = 'waived'), 0)::bigint as "waivedPaise"
     from unnest($1::int[], $2::text[]) as k (institute_id, student_id)
     join late_fee_entries e on e.institute_id = k.institute_id and e.student_id = k.student_id
     where e.institute_id = any ($3::int[])
     group by e.student_id, e.rule_id`,
    [keys.map(key => key.instituteId), keys.map(key => key.studentId), institutesOf(keys)],
  )
  const found = new Map<string, Map<string, Redeemed>>()
  for (const { studentId, ruleId, ...redeemed } of rows) {
    const ofStudent = found.get(studentId) ?? new Map<string, Redeemed>()
    found.set(studentId, ofStudent.set(ruleId, redeemed))
  }
  return found
}

/** The amount of a component that live plans will take, and the due day of the oldest part that they missed. */
type PlannedAmount = { componentType: string; amountPaise: Paise; missedOn: string | null }

/** Amounts by student and component. */
export async function readPlanned(
  db: Queryable,
  keys: readonly { instituteId: number; studentId: string }[],
): Promise<Map<string, Map<string, PlannedAmount>>> {
  // Conditions on these columns reach the tables under the view.
  const asked = keys.map(({ instituteId, studentId: id }) => ({ instituteId, id }))
  const these = nameRows(asked, 1)
  const rows = await db.query<PlannedAmount & { studentId: string }>(
    `select f.student_id as "studentId", f.component_type as "componentType", f.amount_paise as "amountPaise",
       f.missed_on as "missedOn"
     from planned_fees f where ${these.match('f', 'student_id')}`,
    these.values,
  )
  const ofStudents = Map.groupBy(rows, row => row.studentId)
  return new Map([...ofStudents].map(([id, own]) => [id, new Map(own.map(row => [row.componentType, row]))]))
}

export type LateFeeEntry = {
  id: string
  ruleId: string
  kind: 'charged' | 'waived'
  amountPaise: Paise
  orderId: string | null
  reason: string | null
  actor: string | null
  at: Date
}

const lateFeeEntries = new Table<LateFeeEntry>('late_fee_entries', {
  id: 'text',
  ruleId: 'text',
  kind: 'text',
  amountPaise: 'bigint',
  orderId: 'text',
  reason: 'text',
  actor: 'text',
  at: 'timestamptz',
})
type StudentOfInstitute = { instituteId: number; studentId: string }
const entriesOfStudents = lateFeeEntries.with<StudentOfInstitute>({ instituteId: 'int', studentId: 'text' })

export async function insertEntries(
  tx: Transaction,
  { instituteId, studentId }: StudentOfInstitute,
  entries: readonly LateFeeEntry[],
): Promise<void> {
  const rows = entries.map(entry => ({ ...entry, instituteId, studentId }))
  await entriesOfStudents.insert(tx, rows)
}

/** Newest first. */
export async function listEntries(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<LateFeeEntry[]> {
  return db.query<LateFeeEntry>(
    `select ${lateFeeEntries.columns('e')} from late_fee_entries e
     where e.institute_id = $1 and e.student_id = $2 order by e.at desc, e.id desc limit 200`,
    [instituteId, studentId],
  )
}

/** Who opened an order on the parents' pages. */
export type Payer = { registrationId: string; name: string }

export type DuesOrder = {
  instituteId: number
  orderId: string
  studentId: string
  lateFees: Share['lateFees']
  excessPaise: Paise
  isExcessRefunded: boolean
  payer: Payer | null
  /** Orders of one family, a child each, share it because they are paid at once. */
  groupId: string | null
}

const duesOrders = new Table<DuesOrder>('dues_orders', {
  instituteId: 'int',
  orderId: 'text',
  studentId: 'text',
  lateFees: 'jsonb',
  excessPaise: 'bigint',
  isExcessRefunded: 'boolean',
  payer: 'jsonb',
  groupId: 'text',
})

export async function insertDuesOrders(
  tx: Transaction,
  orders: readonly Omit<DuesOrder, 'excessPaise' | 'isExcessRefunded'>[],
): Promise<void> {
  await duesOrders.insert(tx, orders, {
    only: ['instituteId', 'orderId', 'studentId', 'lateFees', 'payer', 'groupId'],
  })
}

/** The orders that are paid at once, by their student. */
export async function listGroup(db: Queryable, instituteId: number, groupId: string): Promise<string[]> {
  const rows = await db.query<{ orderId: string }>(
    `select d.order_id as "orderId" from dues_orders d where d.institute_id = $1 and d.group_id = $2
     order by d.student_id`,
    [instituteId, groupId],
  )
  return rows.map(({ orderId }) => orderId)
}

/** Orders by their id. */
export async function readDuesOrders(
  db: Queryable,
  instituteId: number,
  orderIds: readonly string[],
): Promise<Map<string, DuesOrder>> {
  const rows = await db.query<DuesOrder>(
    `select ${duesOrders.columns('d')} from dues_orders d where d.institute_id = $1 and d.order_id = any($2)`,
    [instituteId, orderIds],
  )
  return new Map(rows.map(order => [order.orderId, order]))
}

export async function setExcess(
  tx: Transaction,
  order: Pick<DuesOrder, 'instituteId' | 'orderId' | 'excessPaise' | 'isExcessRefunded'>,
): Promise<void> {
  await duesOrders.update(tx, [order], {
    key: ['instituteId', 'orderId'],
    set: ['excessPaise', 'isExcessRefunded'],
  })
}

/** Orders of a student's dues that nobody has paid. */
export async function listOpenOrders(
  tx: Transaction,
  instituteId: number,
  studentId: string,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select o.id from orders o
     where o.institute_id = $1 and o.student_id = $2 and o.kind = 'student' and o.state = 'unpaid'`,
    [instituteId, studentId],
  )
  return rows.map(({ id }) => id)
}

/** Keeps others, who take the same lock, from changing late-fee rules or due days until the commit. */
export async function lockRules(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`bursar payment rules ${instituteId}`])
}

/** Whether another child of the same people owes something. */
export async function doSiblingsOwe(db: Queryable, { instituteId, studentId }: StudentKey): Promise<boolean> {
  const [row] = await db.query<{ owes: boolean }>(
    `select exists (select from student_users own
       join student_users other on other.institute_id = own.institute_id and other.registration_id = own.registration_id
       join student_balances b on b.institute_id = other.institute_id and b.student_id = other.student_id
       where own.institute_id = $1 and own.student_id = $2 and other.student_id <> $2 and b.outstanding_paise > 0) as owes`,
    [instituteId, studentId],
  )
  return row?.owes ?? false
}

/** What a rollover brought from an earlier year, by student and component: by the days on which it fell due, the oldest first. */
export async function readCarried(
  db: Queryable,
  keys: readonly { instituteId: number; studentId: string }[],
): Promise<Map<string, Map<string, DuePart[]>>> {
  const rows = await db.query<DuePart & { studentId: string; componentType: string }>(
    `select c.student_id as "studentId", c.component_type as "componentType", c.due_on as "dueOn",
       sum(c.amount_paise)::bigint as "amountPaise"
     from unnest($1::int[], $2::text[]) as asked (institute_id, id)
     join carried_dues c on c.institute_id = asked.institute_id and c.student_id = asked.id
     where c.institute_id = any ($3::int[])
     group by c.institute_id, c.student_id, c.component_type, c.due_on order by c.due_on nulls last`,
    [keys.map(key => key.instituteId), keys.map(key => key.studentId), institutesOf(keys)],
  )
  const byStudent = Map.groupBy(rows, row => row.studentId)
  return new Map([...byStudent].map(([id, own]) => [id, Map.groupBy(own, row => row.componentType)]))
}
