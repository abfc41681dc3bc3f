import type { Queryable } from '../../platform/db/database.ts'
import type { Expected } from './match.rules.ts'

export type LabelledExpected = Expected & { label: string }

const COLUMNS = `e.kind, e.id, e.day, e.amount_paise as "amountPaise", e.reference, e.deposit_id as "depositId", e.label`

/** On no line yet; a slip is when one of its cheques is, and a cheque when its slip is. */
const IS_OPEN = `not exists (select 1 from bank_matches m where m.institute_id = $1 and m.kind = e.kind
    and m.target_id = e.id and (m.kind not in ('transfer', 'cheque') or m.amount_paise = e.amount_paise))
  and not (e.kind = 'cheque' and exists (select 1 from bank_matches m where m.institute_id = $1
    and m.kind = 'deposit' and m.target_id = e.deposit_id))
  and not (e.kind = 'deposit' and exists (select 1 from bank_matches m join cheques q on q.institute_id = m.institute_id
    and q.payment_id = m.target_id where m.institute_id = $1 and m.kind = 'cheque' and q.deposit_id = e.id))`

type Span = { from: string; to: string }

/** Of these days, the oldest first. */
export async function listExpected(
  db: Queryable,
  instituteId: number,
  { from, to }: Span,
  limit: number,
): Promise<LabelledExpected[]> {
  return db.query<LabelledExpected>(
    `select ${COLUMNS} from bank_expected e
     where e.institute_id = $1 and e.day between $2 and $3 and ${IS_OPEN} order by e.day, e.kind, e.id limit $4`,
    [instituteId, from, to, limit],
  )
}

/** What a line may be: of its sign and not more than it, the same amount first, then the nearest days. */
export async function listCandidates(
  db: Queryable,
  instituteId: number,
  line: { day: string; amountPaise: number },
  limit: number,
): Promise<LabelledExpected[]> {
  return db.query<LabelledExpected>(
    `select ${COLUMNS} from bank_expected e
     where e.institute_id = $1 and e.day between $2::date - 60 and $2::date + 30
       and sign(e.amount_paise) = sign($3::bigint) and abs(e.amount_paise) <= abs($3::bigint) and ${IS_OPEN}
     order by abs(e.amount_paise) = abs($3::bigint) desc, abs(e.day - $2::date), e.kind, e.id limit $4`,
    [instituteId, line.day, line.amountPaise, limit],
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
