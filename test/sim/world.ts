import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import pg from 'pg'
import { readConfig } from '../../src/app/config.ts'
import { createBursar, type Bursar } from '../../src/app/bursar.ts'
import type { PaymentReport } from '../../src/providers/port.ts'
import type { PaymentContext } from '../../src/payments/context.ts'
import { typeParsers } from '../../src/platform/db/client.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { Client, DEMO, GROUP, type Answer } from '../harness/client.ts'
import { waitFor } from '../harness/wait.ts'
import { startCutLine, type CutLine } from './cut-line.ts'

/** A Bursar that can be cut off at any statement and started again on the same database, and eyes of our own on it. */
type Owner = { after(done: () => Promise<void> | void): void }

export type SeenPayment = {
  id: string
  state: 'created' | 'pending' | 'captured' | 'failed'
  isDuplicate: boolean
  bank: 'open' | 'pending' | 'captured' | 'failed' | null
  ref: string | null
}

export type SeenOrder = {
  institute: 'demo-school' | 'demo-group'
  id: string
  kind: 'order' | 'link'
  state: 'unpaid' | 'paid' | 'expired' | 'cancelled'
  total: number
  expiresAt: number | null
  refundable: number
  /** Newest first. */
  payments: SeenPayment[]
}

const LATEST = `
  select i.code as institute, o.id, o.kind, o.state, l.total, extract(epoch from o.expires_at) * 1000 as "expiresAt",
    coalesce(p.list, '[]') as payments,
    coalesce((select p.amount_paise from payments p where p.institute_id = o.institute_id and p.order_id = o.id
        and p.state = 'captured' and not p.is_duplicate), 0)
      - coalesce((select sum(r.amount_paise) from refunds r where r.institute_id = o.institute_id and r.order_id = o.id
        and r.kind = 'requested' and r.state <> 'failed'), 0)::bigint as refundable
  from (select * from orders order by id desc limit $1) o join institutes i on i.id = o.institute_id
  cross join lateral (select sum(amount_paise)::bigint as total from order_lines l
    where l.institute_id = o.institute_id and l.order_id = o.id) l
  cross join lateral (select json_agg(json_build_object('id', p.id, 'state', p.state, 'isDuplicate', p.is_duplicate,
      'bank', b.state, 'ref', p.provider_ref) order by p.created_at desc, p.id desc) as list
    from payments p left join bank_payments b on b.institute_id = p.institute_id
      and b.payment_id = coalesce(p.group_id, p.id)
    where p.institute_id = o.institute_id and p.order_id = o.id) p
  order by o.id desc`

const SIGNATURE = 'x-sandbox-bank-signature'
const REMEMBERED = 60

export class World {
  readonly line: CutLine
  /** Answers that were given: what they say must stay so. */
  readonly promised = { orders: new Set<string>(), captured: new Set<string>(), refunds: new Set<string>() }
  /** Creates by Idempotency-Key whose answer is still owed. */
  readonly unanswered = new Map<string, () => Promise<void>>()
  crashes = 0
  #app: Bursar
  readonly #log: Log
  readonly #lines: string[]
  readonly #pool: pg.Pool
  readonly #env: Record<string, string>

  private constructor(
    line: CutLine,
    { app, log, lines }: { app: Bursar; log: Log; lines: string[] },
    pool: pg.Pool,
    env: Record<string, string>,
  ) {
    this.line = line
    this.#app = app
    this.#log = log
    this.#lines = lines
    this.#pool = pool
    this.#env = env
  }

  static async open(owner: Owner, more: Record<string, string> = {}): Promise<World> {
    const direct = new URL(await cloneDatabase(owner))
    const line = await startCutLine(direct)
    const pool = new pg.Pool({
      connectionString: direct.href,
      application_name: 'model',
      max: 4,
      types: typeParsers,
    })
    pool.on('error', () => {})
    const throughLine = new URL(direct)
    throughLine.searchParams.set('host', line.host)
    const env = {
      PORT: '0',
      DATABASE_URL: throughLine.href,
      PUBLIC_RATE: '100000',
      PUBLIC_BURST: '100000',
      MASTER_KEY: TEST_MASTER_KEY,
      BURSAR_ROLE: 'api',
      DRAIN_SECONDS: '0',
      ...more,
    }
    const lines: string[] = []
    const destination = { write: (text: string) => void lines.push(text) }
    const log = createLog({ level: 'error', format: 'json', destination })
    const app = await createBursar(readConfig(env), log)
    const world = new World(line, { app, log, lines }, pool, env)
    owner.after(async () => {
      await world.#app.stop()
      await pool.end()
      line.close()
    })
    return world
  }

  get app(): Bursar {
    return this.#app
  }

  /** The context of the running process. */
  get ctx(): PaymentContext {
    return this.#app.ctx
  }

  get now(): number {
    return this.#app.ctx.clock.now().getTime()
  }

  as(institute: SeenOrder['institute']): Client {
    const { host, port } = this.#app.config
    return new Client(`http://${host}:${port}`, institute === 'demo-school' ? DEMO : GROUP)
  }

  /** No answer of ours is ever an error of ours, unless the line was cut under it. */
  async send(
    institute: SeenOrder['institute'],
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Answer> {
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    const answer = await this.as(institute).send(method, path, body, headers)
    assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }

  /** Posts what the bank would; the signature may be a forger's. */
  async tell(report: unknown, signature?: string | null): Promise<number> {
    const text = JSON.stringify(report)
    const key = this.#app.ctx.vault.deriveKey('sandbox bank callbacks')
    const right = createHmac('sha256', key).update(text).digest('hex')
    const headers = signature === null ? {} : { [SIGNATURE]: signature ?? right }
    const answer = await this.as('demo-school').post('/callbacks/sandbox', text, {
      ...headers,
      authorization: '',
    })
    assert.ok(answer.status < 500, `callback: ${answer.status} ${answer.text}`)
    return answer.status
  }

  /** What the bank's own books say of a payment, or of the one that it was part of. */
  async bankReport(id: string): Promise<PaymentReport> {
    const [row] = await this.sql<{ instituteId: number; paymentId: string }>(
      'select institute_id as "instituteId", coalesce(group_id, id) as "paymentId" from payments where id = $1',
      [id],
    )
    const provider = this.ctx.accounts.installation.get('sandbox')
    assert.ok(provider !== undefined && row !== undefined)
    return provider.status({ ...row, providerRef: null })
  }

  sql = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await this.#pool.query<Row>(text, values)).rows

  async latest(limit = REMEMBERED): Promise<SeenOrder[]> {
    return this.sql<SeenOrder>(LATEST, [limit])
  }

  /** The last errors that were logged. */
  get errors(): string {
    return this.#lines.slice(-2).join('')
  }

  /** Ends the process as a crash would and starts another on what the database kept. */
  async crash(beforeStart?: () => Promise<unknown>): Promise<void> {
    this.line.cut()
    await this.#app.stop()
    await waitFor(
      async () =>
        (
          await this.sql(
            `select from pg_stat_activity where datname = current_database() and application_name like 'bursar/%'`,
          )
        ).length === 0,
      'the server to notice',
    )
    this.line.mend()
    await beforeStart?.()
    this.#app = await createBursar(readConfig(this.#env), this.#log)
    this.crashes++
    for (const again of this.unanswered.values()) await again()
  }
}

/** Without the limits and the repetitions of the product's own. */
const EXPIRE_LEASES = `
  do $$ declare held record; begin
    for held in select table_name from information_schema.columns
      where table_schema = 'public' and column_name = 'held_until'
    loop
      execute format('update %I set held_until = now() where held_until > now()', held.table_name);
    end loop;
  end $$`

/** Leases run in real time, in which the crash of a world whose clock hurries lasts no minute. */
export async function expireLeases(sql: World['sql']): Promise<void> {
  await sql(EXPIRE_LEASES)
}
