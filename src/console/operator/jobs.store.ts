import type { Database, Queryable } from '../../platform/db/database.ts'
import { list, type Page, type PageRange, allOf, toPage } from '../../platform/db/list.ts'
import { LETTER_KINDS, MOST_COUNTED, type JobKind, type LetterKind } from './operator.rules.ts'
import type { Branch } from '../../institutes/institutes.rules.ts'

/** Where the rows are that say when. */
const JOBS = [
  job('orders_expired', 'orders', 'expires_at', `state = 'unpaid' and expires_at is not null`),
  job('payments_checked', 'payments', 'next_check_at'),
  job('refunds_sent', 'refunds', 'next_try_at'),
  job('mandates_checked', 'flex_mandates', 'next_check_at'),
  job('instalments_stepped', 'flex_instalments', 'next_step_at'),
  job('loans_checked', 'cred_applications', 'next_check_at'),
  job('messages_sent', 'messages', 'next_try_at'),
  // Deliveries that somebody asked for are left out: they are due since ever and gone in a moment.
  job('webhooks_delivered', 'webhook_queue', 'next_attempt_at', 'isfinite(next_attempt_at)', 'real'),
  job('imports_run', 'imports', 'created_at', `state in ('checking', 'running')`),
]

export type Job = {
  kind: JobKind
  /** Counted up to MOST_COUNTED. */
  due: number
  oldestAt: Date | null
  /** When the next falls due that is not due yet. */
  nextAt: Date | null
  /** Past due by so much, by the clock that it runs on. */
  lateMs: number
}

/** A job is due by our clock, or by the database's own. */
function job(
  kind: JobKind,
  table: string,
  at: string,
  condition = `${at} is not null`,
  time: 'clock' | 'real' = 'clock',
): string {
  const now = time === 'real' ? 'now()' : '$1::timestamptz'
  return `select '${kind}' as kind, due.count as due, due.oldest as "oldestAt",
      (select min(${at}) from ${table} where ${condition} and ${at} > ${now}) as "nextAt",
      coalesce(extract(epoch from ${now} - due.oldest) * 1000, 0)::float8 as "lateMs"
    from (select count(*) as count, min(at) as oldest from (
      select ${at} as at from ${table} where ${condition} and ${at} <= ${now} order by ${at} limit $2) counted) due`
}

/** Each by the index that its workers use, but for the queue of webhooks, which is short; one statement. */
export async function readJobs(db: Database, now: Date): Promise<Job[]> {
  return await db.query<Job>(JOBS.join(' union all '), [now, MOST_COUNTED])
}

/** Something that was given up. */
export type DeadLetter = {
  id: string
  kind: LetterKind
  instituteCode: string
  instituteName: string
  at: Date
  /** What it was, and to whom. */
  subject: string
  problem: string | null
  tries: number | null
}

const LETTERS: Record<LetterKind, { table: string; isDead: string; columns: string; more: string }> = {
  delivery: {
    table: 'webhook_deliveries',
    isDead: 'given_up_at is not null',
    columns: `x.created_at as at, s.event_code || ' to ' || s.url as subject, x.attempts -> -1 ->> 'problem' as problem,
      jsonb_array_length(x.attempts) as tries`,
    more: 'join webhook_subscriptions s on s.institute_id = x.institute_id and s.id = x.webhook_id',
  },
  message: {
    table: 'messages',
    isDead: `state = 'failed'`,
    columns: `x.created_at as at, x.channel || ' to ' || x.recipient || coalesce(': ' || x.subject, '') as subject,
      x.failure as problem, x.tries`,
    more: '',
  },
  import: {
    table: 'imports',
    isDead: `state = 'failed'`,
    columns: `coalesce(x.finished_at, x.created_at) as at, 'a file of ' || x.kind || ', ' || x.total_rows || ' rows' as subject,
      x.message as problem, null::int as tries`,
    more: '',
  },
}

/** Newest first, over all institutes. */
export async function listDeadLetters(
  db: Queryable,
  kind: LetterKind,
  page: PageRange,
): Promise<Page<DeadLetter>> {
  const { table, isDead, columns, more } = LETTERS[kind]
  return list<DeadLetter>(
    db,
    {
      select: `x.id, '${kind}' as kind, i.code as "instituteCode", i.name as "instituteName", ${columns}`,
      from: `${table} x`,
      join: `join institutes i on i.id = x.institute_id ${more}`,
      scope: [[`x.${isDead}`]],
      order: ['id'],
      direction: 'desc',
      isPurged: true,
    },
    page,
  )
}

const COUNTS = `select ${LETTER_KINDS.map(
  kind => `(select count(*) from (select 1 from ${LETTERS[kind].table}
      where ${LETTERS[kind].isDead} limit ${MOST_COUNTED}) counted) as "${kind}"`,
).join(', ')}`

export async function countDeadLetters(db: Database): Promise<Record<LetterKind, number>> {
  const [row] = await db.query<Record<LetterKind, number>>(COUNTS)
  return row ?? { delivery: 0, message: 0, import: 0 }
}

/** Messages that were given up and written since then, as far as they are counted. */
export async function countLostMessages(db: Queryable, since: Date): Promise<number> {
  const { table, isDead } = LETTERS.message
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from (select 1 from ${table} where ${isDead} and created_at >= $1 limit ${MOST_COUNTED}) lost`,
    [since],
  )
  return row?.count ?? 0
}

export type InstituteRow = {
  code: string
  name: string
  strictCatalogue: boolean
  createdAt: Date
  branches: Branch[]
  activeKeys: number
  people: number
}

type InstituteSearch = PageRange & { search?: string | undefined }

/** Lists institutes by code; counts come from indexes that begin with the institute. */
export async function listInstitutes(
  db: Queryable,
  { search, cursor, limit }: InstituteSearch,
): Promise<Page<InstituteRow>> {
  const values: unknown[] = []
  const where = allOf(values, [
    ['strpos(i.code, lower($1)) > 0 or strpos(lower(i.name), lower($1)) > 0', search],
    ['i.code > $1', cursor],
  ])
  const found = await db.query<InstituteRow>(
    `select i.code, i.name, i.strict_catalogue as "strictCatalogue", i.created_at as "createdAt",
       (select coalesce(json_agg(json_build_object('collectorCode', b.collector_code, 'name', b.name,
          'isDefault', b.is_default) order by b.created_at, b.collector_code), '[]')
        from branches b where b.institute_id = i.id) as branches,
       (select count(*) from api_keys k where k.institute_id = i.id and k.revoked_at is null) as "activeKeys",
       (select count(*) from console_memberships m where m.institute_id = i.id) as people
     from institutes i where ${where} order by i.code limit $${values.push(limit + 1)}`,
    values,
  )
  return toPage(found, limit, institute => institute.code)
}

export type DatabaseFigures = { version: string; bytes: number; startedAt: Date }

export async function readDatabaseFigures(db: Queryable): Promise<DatabaseFigures> {
  const [row] = await db.query<DatabaseFigures>(
    `select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
       pg_postmaster_start_time() as "startedAt"`,
  )
  if (row === undefined) throw new Error('a database always knows its version')
  return row
}
