import pg from 'pg'
import { readConfig } from '../src/app/config.ts'
import { openDatabase } from '../src/app/open-database.ts'
import { readHome } from '../src/console/home/home.service.ts'
import { defaulterList } from '../src/console/reports/dues.list.ts'
import { readAgeing } from '../src/console/reports/dues.service.ts'
import { countChanges } from '../src/console/sums/sums.service.ts'
import { recomputeBalances } from '../src/fees/balances.service.ts'
import type { Institute } from '../src/institutes/institutes.rules.ts'
import { getInstitute } from '../src/institutes/institutes.service.ts'
import type { Context } from '../src/platform/context.ts'
import { seedSchool } from '../src/sandbox/seed/seed.service.ts'
import { NOTHING_SENT } from '../test/harness/statement-count.ts'
import { median, type Figure } from './figures.ts'
import { openCluster } from './rig.ts'
import type { Size } from './size.ts'
import { cpuMs, eachOf, spentByThisProcess } from './spent.ts'

/** With ten payments each; the others of the school owe all their fees. */
const PAYING = 10_000
const COPIES = 9
const ROUNDS = 9
const LOADS = 10
const PAGE = 50
const BATCH = 2_000
const MOST_MS = 50

/** What is left of each fee after every payment ever made, added up as if nobody kept it. */
const RAW_SUM = `
  select sum(greatest(v.fee_paise - v.discount_paise - v.paid_paise, 0))::bigint as paise
  from student_balance_sums v
  join students s on s.institute_id = v.institute_id and s.id = v.student_id and s.status = 'active'
  where v.institute_id = $1`

/** CPU of the console's pages about dues at 100,000 students, of Bursar and of its database together. */
export async function measureDues({ rows, rounds }: Size): Promise<Figure[]> {
  const cluster = await openCluster()
  try {
    const url = await cluster.makeDatabase('dues')
    const env = { DATABASE_URL: url, DATA_DIR: cluster.folder, LOG_LEVEL: 'warn' }
    const { ctx } = await openDatabase(readConfig(env))
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const institute = await getInstitute(ctx, 'demo-school')
      const students = rows(PAYING) * (COPIES + 1)
      process.stderr.write(`Making ${students} students\n`)
      await seedSchool(ctx, institute, rows(PAYING), { batch: BATCH })
      await copyStudents(ctx, client, institute)
      await client.query('vacuum analyze')
      const spent = (): ReturnType<typeof spentByThisProcess> =>
        spentByThisProcess(cluster.folder, NOTHING_SENT)
      const cpuOf = async (act: () => Promise<unknown>, times: number): Promise<number> => {
        const before = spent()
        for (let load = 0; load < times; load++) await act()
        return cpuMs(eachOf(before, spent(), times))
      }
      const counting = await cpuOf(async () => {
        while ((await countChanges(ctx, { least: 1 })) > 0);
      }, 1)
      const raw = async (): Promise<number> =>
        Number((await client.query<{ paise: string }>(RAW_SUM, [institute.id])).rows[0]?.paise)
      const rawMs = await cpuOf(raw, 2)
      const measure = async (name: string, load: () => Promise<unknown>): Promise<Figure> => {
        const each: number[] = []
        for (let round = 0; round < rounds(ROUNDS); round++) each.push(await cpuOf(load, LOADS))
        const spread = `${Math.min(...each).toFixed(0)} to ${Math.max(...each).toFixed(0)} ms`
        return {
          name: `${name} of ${students} students, ms of CPU`,
          value: median(each),
          aim: { most: MOST_MS },
          detail: `${spread} in ${each.length} rounds; the sum over the raw tables takes ${rawMs.toFixed(0)} ms`,
        }
      }
      const late = { bucket: 'no_due_day' } as const
      const figures = [
        await measure('Home', () => readHome(ctx, institute)),
        await measure('Dues by age', () => readAgeing(ctx, institute, { by: 'grade' })),
        await measure('Defaulters', () => defaulterList.page(ctx, institute, late, { limit: PAGE })),
      ]
      const sums = [
        await raw(),
        (await readHome(ctx, institute)).outstanding.amountPaise,
        (await readAgeing(ctx, institute, { by: 'grade' })).total.totalPaise,
      ]
      return [
        ...figures,
        {
          name: 'Counting a student that changed, ms of CPU',
          value: counting / students,
          aim: { most: 0.5 },
          detail: `${students} students in ${counting.toFixed(0)} ms`,
        },
        {
          name: 'Faults: Home and dues by age say what the raw tables sum up to',
          value: new Set(sums).size - 1,
          aim: { most: 0 },
          detail: `${sums.join(', ')} paise`,
        },
      ]
    } finally {
      await client.end()
      await ctx.db.close()
    }
  } finally {
    await cluster.close()
  }
}

/** More students with the same fees, who have paid nothing. */
async function copyStudents(ctx: Context, client: pg.Client, { id }: Institute): Promise<void> {
  const copy = async (table: string, changes: Record<string, string>): Promise<string[]> => {
    const { rows: columns } = await client.query<{ name: string }>(
      `select attname as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
      [table],
    )
    const names = columns.map(({ name }) => name)
    const { rows } = await client.query<{ id: string }>(
      `insert into ${table} (${names.join(', ')})
       select ${names.map(name => changes[name] ?? name).join(', ')} from ${table}
       cross join generate_series(1, ${COPIES}) as n where institute_id = $1
       returning ${table === 'students' ? 'id' : 'student_id as id'}`,
      [id],
    )
    return rows.map(row => row.id)
  }
  const ids = await copy('students', { id: `left(id, 48) || '-' || n`, identifier: `identifier || '-' || n` })
  await copy('fee_components', { student_id: `left(student_id, 48) || '-' || n` })
  for (let at = 0; at < ids.length; at += BATCH)
    await ctx.db.transaction(async tx => recomputeBalances(tx, id, ids.slice(at, at + BATCH)))
}
