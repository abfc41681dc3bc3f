import assert from 'node:assert/strict'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { checkBooks } from '../../../src/payments/reconcile/reconcile.service.ts'
import type { Move, MoveLog } from '../../../src/cells/move/moves.store.ts'
import type { Load } from './load.ts'
import type { TestCell, TwoCells } from './two-cells.ts'

/** Where a school lives at this moment, and the other cell. */
export async function homeOf(
  { north, south }: TwoCells,
  code: string,
): Promise<{ from: TestCell; to: TestCell; id: number }> {
  for (const [from, to] of [
    [north, south],
    [south, north],
  ] as const) {
    const [row] = await from.sql<{ id: number }>('select id from institutes where code = $1', [code])
    if (row !== undefined) return { from, to, id: row.id }
  }
  throw new Error(`${code} is nowhere`)
}

/** Rows of a school in all tables of a cell. */
export async function countRows({ sql }: Pick<TestCell, 'sql'>, id: number): Promise<number> {
  const tables = await sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'institute_id'
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
  )
  const counts = tables.map(({ name }) => `(select count(*) from ${name} where institute_id = ${id})`)
  const [row] = await sql<{ rows: string }>(`select ${counts.join(' + ')} as rows`)
  return Number(row?.rows)
}

export async function expectNothingLeftBehind({ sql }: Pick<TestCell, 'sql'>): Promise<void> {
  const left = await sql<{ name: string }>(
    `select tgname as name from pg_trigger where tgname like 'fence%' union all select slot_name from pg_replication_slots
       union all select pubname from pg_publication union all select subname from pg_subscription`,
  )
  assert.deepEqual(left, [])
}

/** Schemas with the rows of schools that have left. */
export async function kept({ sql }: TestCell): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    `select nspname as name from pg_namespace where nspname like 'moved%'`,
  )
  return rows.map(({ name }) => name)
}

export async function expectPaidOnce(cell: TestCell, id: number, { paid, begun }: Load): Promise<void> {
  const rows = await cell.sql<{ id: string; captured: number; open: number; told: number }>(
    `select o.id, count(p.id) filter (where p.state = 'captured')::int as captured, count(p.id) filter (where p.state <> 'captured')::int as open,
       (select count(*)::int from events e where e.institute_id = o.institute_id and e.resource_id = o.id and e.event_code = 'pay.payment.debited') as told
     from orders o left join payments p on p.institute_id = o.institute_id and p.order_id = o.id
     where o.institute_id = $1 and o.id = any ($2) group by o.institute_id, o.id`,
    [id, [...paid, ...begun]],
  )
  assert.equal(rows.length, paid.size + begun.size, 'every order that was answered is there')
  const wrong = rows.filter(row =>
    paid.has(row.id) ? row.captured !== 1 || row.told !== 1 : row.captured + row.open !== 1,
  )
  assert.deepEqual(wrong, [])
}

export async function expectBooksAgree(cell: TestCell, code: string): Promise<void> {
  const institute = await getInstitute(cell.bursar.app.ctx, code)
  const checks = await checkBooks(cell.bursar.app.ctx, institute)
  assert.deepEqual(
    checks.flatMap(({ differences }) => differences),
    [],
  )
}

/** Dies when a step is done and about to be recorded as such, once for each; as of a process that is killed nothing is cleaned up. */
export class Killed extends Error {}

export function dyingLog(log: MoveLog, deaths: string[]): MoveLog {
  return {
    ...log,
    async record(move: Move) {
      const moment = `${move.step} ${move.finishedAt === null ? 'done' : 'ended'}`
      if (move.isStepDone && !deaths.includes(moment)) {
        deaths.push(moment)
        throw new Killed(moment)
      }
      await log.record(move)
    },
  }
}
