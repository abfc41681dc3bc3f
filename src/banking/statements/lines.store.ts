import { readAll } from '../../platform/db/list.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import { lineKey, type KeyedLine, type LineState, type StatementFormat } from './lines.rules.ts'
import type { ExpectedKind, OpenLine, Expected } from './match.rules.ts'

export type BankLine = KeyedLine & {
  id: string
  accountId: string
  statementId: string
  state: LineState
  decidedAt: Date | null
  decidedBy: string | null
  reason: string | null
}

export type LineMatch = {
  lineId: string
  kind: ExpectedKind
  targetId: string
  amountPaise: Paise
  label: string
  isRecordedHere: boolean
}

export type MatchedLine = BankLine & { matches: Omit<LineMatch, 'lineId'>[] }

const lines = new Table<BankLine>('bank_lines', {
  id: 'text',
  accountId: 'text',
  statementId: 'text',
  day: 'date',
  amountPaise: 'bigint',
  text: 'text',
  reference: 'text',
  balancePaise: 'bigint',
  digest: 'text',
  occurrence: 'int',
  state: 'text',
  decidedAt: 'timestamptz',
  decidedBy: 'text',
  reason: 'text',
})
const STORED = [
  'id',
  'accountId',
  'statementId',
  'day',
  'amountPaise',
  'text',
  'reference',
  'balancePaise',
  'digest',
  'occurrence',
  'decidedAt',
  'decidedBy',
  'reason',
] as const
const ofInstitute = lines.with<{ instituteId: number }>({ instituteId: 'int' })

const matches = new Table<LineMatch>('bank_matches', {
  lineId: 'text',
  kind: 'text',
  targetId: 'text',
  amountPaise: 'bigint',
  label: 'text',
  isRecordedHere: 'boolean',
})
const matchesOfInstitute = matches.with<{ instituteId: number }>({ instituteId: 'int' })

/**
 * A match with a payment that was cancelled since, or corrected to another amount, is none: the line is open again,
 * no matter who changed the payment. A cheque that the bank took and returned stays: both bookings are on the statement.
 * `offset 0`: the planner, which thinks of all lines and not of those of a page, would read all matches instead.
 */
const isStale = (institute: string): string => `exists (select 1 from bank_matches m
    join direct_payments p on p.institute_id = m.institute_id and p.id = m.target_id
    where m.institute_id = ${institute} and m.line_id = l.id and m.kind in ('transfer', 'cheque')
      and (p.amount_paise <> m.amount_paise or (p.cancelled_at is not null and not exists (select 1 from cheques q
        where q.institute_id = ${institute} and q.payment_id = p.id
          and (q.deposit_id is not null or q.state = 'bounced')))) offset 0)`
/** `institute` is the parameter that names it. */
export const lineState = (institute: string): string =>
  `case when l.state = 'matched' and ${isStale(institute)} then 'open' else l.state end`

/** A line as people see it; the first parameter is the institute. */
export const WITH_MATCHES = `${lines.columns('l', STORED)}, ${lineState('$1')} as state,
  (select coalesce(json_agg(${matches.json('m', ['kind', 'targetId', 'amountPaise', 'label', 'isRecordedHere'])}
      order by m.target_id), '[]')
   from bank_matches m where m.institute_id = $1 and m.line_id = l.id) as matches`

/** How many of them no earlier statement had. */
export async function insertLines(
  tx: Transaction,
  instituteId: number,
  added: readonly BankLine[],
): Promise<number> {
  const rows = added.map(line => ({ ...line, instituteId }))
  return ofInstitute.insert(tx, rows, {
    onConflict: 'on conflict (institute_id, account_id, digest, occurrence) do nothing',
  })
}

const AT_ONCE = 500

/** Few enough to be written by one statement: requests wait while its values are put together. */
export function* partsOf<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let from = 0; from < all.length; from += AT_ONCE) yield all.slice(from, from + AT_ONCE)
}

/**
 * Reads the keys of the account's lines with the same text as these; keys of other lines may be among them. There is no
 * join: one that was planned while the table was small goes through the table for each line.
 */
export async function readKnownKeys(
  tx: Transaction,
  instituteId: number,
  accountId: string,
  asked: readonly KeyedLine[],
): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const part of partsOf(asked)) {
    const places = part.map(({ occurrence }) => occurrence).toSorted((one, other) => one - other)
    const rows = await tx.query<Pick<KeyedLine, 'digest' | 'occurrence'>>(
      `select l.digest, l.occurrence from bank_lines l
       where l.institute_id = $1 and l.account_id = $2 and l.digest = any($3) and l.occurrence between $4 and $5`,
      [instituteId, accountId, [...new Set(part.map(({ digest }) => digest))], places[0], places.at(-1)],
    )
    for (const row of rows) keys.add(lineKey(row))
  }
  return keys
}

/** Lines of these days that files of other formats brought to the account. */
export async function listOfOtherFormats(
  tx: Transaction,
  instituteId: number,
  of: { accountId: string; format: StatementFormat; firstDay: string; lastDay: string },
  limit: number,
): Promise<KeyedLine[]> {
  return readAll<KeyedLine>(tx, {
    text: `select ${lines.columns('l', ['day', 'amountPaise', 'text', 'reference', 'balancePaise', 'digest', 'occurrence'])}
     from bank_lines l join bank_statements s on s.institute_id = l.institute_id and s.id = l.statement_id
     where l.institute_id = $1 and l.account_id = $2 and s.format <> $3 and l.day between $4 and $5 order by l.id limit $6`,
    values: [instituteId, of.accountId, of.format, of.firstDay, of.lastDay, limit],
  })
}

export async function findLine(db: Queryable, instituteId: number, id: string): Promise<MatchedLine | null> {
  const [row] = await db.query<MatchedLine>(
    `select ${WITH_MATCHES} from bank_lines l where l.institute_id = $1 and l.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

export type NamedStudent = { id: string; identifier: string }

/** Active students by admission numbers without signs, each in the newest year. */
export async function findNamedStudents(
  db: Queryable,
  instituteId: number,
  names: readonly string[],
  limit: number,
): Promise<NamedStudent[]> {
  return db.query<NamedStudent>(
    `select distinct on (s.collector_code, s.identifier) s.id, s.identifier from students s
     where s.institute_id = $1 and s.status = 'active'
       and upper(regexp_replace(s.identifier, '[^A-Za-z0-9]', '', 'g')) = any($2)
     order by s.collector_code, s.identifier, s.academic_year_start desc, s.id limit $3`,
    [instituteId, names, limit],
  )
}

/** Everything that decides about lines of an institute waits for its turn. */
export async function lockLines(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('bank lines ' || $1::int, 0))`, [instituteId])
}

export async function listOpenLines(
  tx: Transaction,
  instituteId: number,
  limit: number,
): Promise<OpenLine[]> {
  return readAll<OpenLine>(tx, {
    text: `select ${lines.columns('l', ['id', 'accountId', 'day', 'amountPaise', 'text', 'reference'])} from bank_lines l
     where l.institute_id = $1 and ${lineState('$1')} = 'open' order by l.day desc, l.id limit $2`,
    values: [instituteId, limit],
  })
}

export async function insertMatches(
  tx: Transaction,
  instituteId: number,
  added: readonly LineMatch[],
): Promise<void> {
  await matchesOfInstitute.insert(
    tx,
    added.map(match => ({ ...match, instituteId })),
  )
}

export async function deleteMatches(
  tx: Transaction,
  instituteId: number,
  lineIds: readonly string[],
): Promise<void> {
  await tx.query('delete from bank_matches where institute_id = $1 and line_id = any($2)', [
    instituteId,
    lineIds,
  ])
}

/** Takes these payments off lines that were matched before they changed; answers those lines. */
export async function releaseTargets(
  tx: Transaction,
  instituteId: number,
  targets: readonly { kind: ExpectedKind; targetId: string }[],
): Promise<string[]> {
  const rows = await tx.query<{ lineId: string }>(
    `delete from bank_matches m using unnest($2::text[], $3::text[]) as asked (kind, id)
     where m.institute_id = $1 and m.kind = asked.kind and m.target_id = asked.id returning m.line_id as "lineId"`,
    [instituteId, targets.map(one => one.kind), targets.map(one => one.targetId)],
  )
  return rows.map(({ lineId }) => lineId)
}

type Decision = Pick<BankLine, 'id' | 'state' | 'decidedAt' | 'decidedBy' | 'reason'>

export async function updateLines(
  tx: Transaction,
  instituteId: number,
  decided: readonly Decision[],
): Promise<void> {
  await ofInstitute.update(
    tx,
    decided.map(one => ({ ...one, instituteId })),
    { key: ['instituteId', 'id'], set: ['state', 'decidedAt', 'decidedBy', 'reason'] },
  )
}

export type LabelledExpected = Expected & { label: string }

const COLUMNS = `e.kind, e.id, e.day, e.amount_paise as "amountPaise", e.reference, e.deposit_id as "depositId", e.label,
  e.bank_account_id as "bankAccountId"`

/** A slip counts as matched when one of its cheques is, and a cheque when its slip is. */
const IS_OPEN = `not exists (select 1 from bank_matches m where m.institute_id = $1 and m.kind = e.kind
    and m.target_id = e.id and (m.kind not in ('transfer', 'cheque') or m.amount_paise = e.amount_paise))
  and not (e.kind = 'cheque' and exists (select 1 from bank_matches m where m.institute_id = $1
    and m.kind = 'deposit' and m.target_id = e.deposit_id))
  and not (e.kind = 'deposit' and exists (select 1 from bank_matches m join cheques q on q.institute_id = m.institute_id
    and q.payment_id = m.target_id where m.institute_id = $1 and m.kind = 'cheque' and q.deposit_id = e.id))`

type Span = { from: string; to: string }

/** Lists what the bank should show for these days, oldest first. */
export async function listExpected(
  tx: Transaction,
  instituteId: number,
  { from, to }: Span,
  limit: number,
): Promise<LabelledExpected[]> {
  return readAll<LabelledExpected>(tx, {
    text: `select ${COLUMNS} from bank_expected e
     where e.institute_id = $1 and e.day between $2 and $3 and ${IS_OPEN} order by e.day, e.kind, e.id limit $4`,
    values: [instituteId, from, to, limit],
  })
}

/** Lists what a line may be matched with: of its sign and not above it, the same amount first, then the nearest days. */
export async function listCandidates(
  db: Queryable,
  instituteId: number,
  line: { day: string; amountPaise: number; accountId: string },
  limit: number,
): Promise<LabelledExpected[]> {
  return db.query<LabelledExpected>(
    `select ${COLUMNS} from bank_expected e
     where e.institute_id = $1 and e.day between $2::date - 60 and $2::date + 30
       and sign(e.amount_paise) = sign($3::bigint) and abs(e.amount_paise) <= abs($3::bigint)
       and (e.bank_account_id is null or e.bank_account_id = $5) and ${IS_OPEN}
     order by abs(e.amount_paise) = abs($3::bigint) desc, abs(e.day - $2::date), e.kind, e.id limit $4`,
    [instituteId, line.day, line.amountPaise, limit, line.accountId],
  )
}

export async function readExpected(
  db: Queryable,
  instituteId: number,
  targets: readonly { kind: string; id: string }[],
): Promise<LabelledExpected[]> {
  return db.query<LabelledExpected>(
    `select ${COLUMNS} from unnest($2::text[], $3::text[]) as asked (kind, id)
     join bank_expected e on e.institute_id = $1 and e.kind = asked.kind and e.id = asked.id where ${IS_OPEN}`,
    [instituteId, targets.map(one => one.kind), targets.map(one => one.id)],
  )
}
