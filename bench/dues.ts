import pg from 'pg'
import { readConfig } from '../src/app/config.ts'
import { listDefaulters, readAgeing } from '../src/console/reports/dues.service.ts'
import { readHome } from '../src/console/home/home.service.ts'
import { getInstitute } from '../src/institutes/institutes.service.ts'
import { openDatabase } from '../src/app/open-database.ts'
import { seedSchool } from '../src/sandbox/seed/school.service.ts'
import { median, type Figure } from './figures.ts'
import { openCluster } from './rig.ts'
import type { Size } from './size.ts'

const STUDENTS = 20_000
const ROUNDS = 9
const PAGE = 50

/** What is left of each fee after every payment ever made, added up as if nobody kept it. */
const RAW_SUM = `
  select sum(greatest(v.fee_paise - v.discount_paise - v.paid_paise, 0))::bigint as paise
  from student_balance_sums v
  join students s on s.institute_id = v.institute_id and s.id = v.student_id and s.status = 'active'
  where v.institute_id = $1`

/** The first load of the console's pages about dues, against the sum over the raw tables, which each of them once was. */
export async function measureDues({ rows, rounds }: Size): Promise<Figure[]> {
  const students = rows(STUDENTS)
  const cluster = await openCluster()
  try {
    const url = await cluster.makeDatabase('dues')
    const env = { DATABASE_URL: url, DATA_DIR: cluster.folder, LOG_LEVEL: 'warn' }
    const { ctx } = await openDatabase(readConfig(env))
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const institute = await getInstitute(ctx, 'demo-school')
      process.stderr.write(`Seeding ${students} students with ten payments each\n`)
      await seedSchool(ctx, institute, students)
      await client.query('vacuum analyze')
      const raw = async (): Promise<number> =>
        Number((await client.query<{ paise: string }>(RAW_SUM, [institute.id])).rows[0]?.paise)
      const ageing = { by: 'grade' } as const
      const late = { bucket: 'no_due_day', cursor: undefined, limit: PAGE } as const
      const compare = async (name: string, load: () => Promise<unknown>): Promise<Figure> => {
        const [loadMs, rawMs] = await timesOf([load, raw], rounds(ROUNDS))
        return {
          name: `${name} of ${students} students, of the sum over the raw tables`,
          value: loadMs / rawMs,
          aim: { most: 0.2 },
          detail: `${loadMs.toFixed(0)} ms against ${rawMs.toFixed(0)} ms, ${students * 10} payments`,
        }
      }
      const figures = [
        await compare('Home', () => readHome(ctx, institute)),
        await compare('Dues by age', () => readAgeing(ctx, institute, ageing)),
        await compare('Defaulters', () => listDefaulters(ctx, institute, late)),
      ]
      const sums = [
        await raw(),
        (await readHome(ctx, institute)).outstanding.amountPaise,
        (await readAgeing(ctx, institute, ageing)).total.totalPaise,
      ]
      const different = new Set(sums).size - 1
      return [
        ...figures,
        {
          name: 'Faults: Home and dues by age say what the raw tables sum up to',
          value: different,
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

/** The medians. The rounds alternate, so that what else the machine does hits both alike. */
async function timesOf(
  [first, second]: readonly [() => Promise<unknown>, () => Promise<unknown>],
  rounds: number,
): Promise<[number, number]> {
  const [firstMs, secondMs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    secondMs.push(await timeOf(second))
    firstMs.push(await timeOf(first))
  }
  return [median(firstMs), median(secondMs)]
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}
