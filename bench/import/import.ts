import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { median, type Figure } from '../figures.ts'
import type { ImportPlan, ImportResult } from './import-all.ts'
import { openCluster, runChild, type Cluster } from '../rig.ts'
import type { Size } from '../size.ts'

const MANY = 100_000
const COPIES = 2

/**
 * A file of students imported in one process, against PostgreSQL's COPY of the same rows into a table with the
 * columns, keys and references of `students`. The import also writes a user, a link and an event for each of them.
 */
export async function measureImport({ rows }: Size): Promise<Figure[]> {
  const cluster = await openCluster()
  try {
    const path = join(cluster.folder, 'students.csv')
    await writeFile(path, csvLines(rows(MANY)))
    const all = await run(cluster, { path, mode: 'all' }, rows(MANY))
    const good = await run(cluster, { path, mode: 'good' }, rows(MANY))
    return [...ratesOf('all rows or none', all), ...ratesOf('the good rows', good), ...soundness([all, good])]
  } finally {
    await cluster.close()
  }
}

type Run = ImportResult & { total: number; copyMs: number[]; faults: string[] }

async function run(cluster: Cluster, plan: ImportPlan, total: number): Promise<Run> {
  const { path, mode } = plan
  const url = await cluster.makeDatabase(`import_${mode}`)
  const env = { DATABASE_URL: url, DATA_DIR: cluster.folder, LOG_LEVEL: 'warn' }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    process.stderr.write(`Importing ${total} students, mode ${mode}\n`)
    // Some before and some after, so that what else the machine does in between hits both.
    await prepareCopy(client, path)
    const before = await copyRounds(client)
    const result = (await runChild('import/import-all.ts', plan, {
      flags: ['--expose-gc'],
      env,
    })) as ImportResult
    const after = await copyRounds(client)
    const faults = await findFaults(client, result, total)
    return { ...result, total, copyMs: [...before, ...after], faults }
  } finally {
    await client.end()
  }
}

/** The rows as the import leaves them, in a file of their own that COPY reads. */
async function prepareCopy(client: pg.Client, path: string): Promise<void> {
  await client.query(`create table equal (like students including all,
    foreign key (institute_id) references institutes, foreign key (institute_id, collector_code) references branches)`)
  await client.query(`create temp table lines (registration_id text, fullname text, identifier text, grade text,
    new_admission text, year_start int, year_end int, date_of_birth date, name text, phone text, email text)`)
  await client.query(`copy lines from '${path}' with (format csv, header)`)
  await client.query(`copy (select i.id, 'student_' || lpad(l.identifier, 26, '0'), 'MAIN', identifier, grade, year_start,
      year_end, null, fullname, new_admission = 'yes', date_of_birth, l.name, l.phone, l.email, 'active', now(), now(), true,
      sha256(identifier::bytea)
    from lines l join institutes i on i.code = 'demo-school') to '${path}.copy'`)
}

async function copyRounds(client: pg.Client): Promise<number[]> {
  const rounds: number[] = []
  for (let round = 0; round < COPIES; round++) {
    await client.query('truncate equal')
    const start = performance.now()
    await client.query(`copy equal (institute_id, id, collector_code, identifier, grade, academic_year_start,
      academic_year_end, custom_identifier, fullname, new_admission, date_of_birth, primary_contact_name,
      primary_contact_number, primary_contact_email, status, created_at, updated_at, branch_assumed, registration_digest)
      from '${await copyPath(client)}'`)
    rounds.push(performance.now() - start)
  }
  return rounds
}

async function copyPath(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  )
  return join(rows[0]?.folder ?? '', '..', 'students.csv.copy')
}

async function findFaults(
  client: pg.Client,
  { rows, again }: ImportResult,
  total: number,
): Promise<string[]> {
  const counts = await client.query<{ name: string; count: string }>(
    `select 'students' as name, count(*) from students union all select 'users', count(*) from users
     union all select 'links', count(*) from student_users
     union all select 'events', count(*) from events where event_code = 'masterdata.student.registered'`,
  )
  const faults = counts.rows.filter(row => Number(row.count) !== total).map(row => `${row.count} ${row.name}`)
  if (rows.applied !== total || rows.bad !== 0) faults.push(`${rows.applied} rows applied, ${rows.bad} bad`)
  if (again.applied !== 0 || again.unchanged !== total)
    faults.push(`${again.applied} rows applied by the same file again`)
  return faults
}

function ratesOf(what: string, { total, ms, cpuMs, copyMs, again }: Run): Figure[] {
  const copy = median(copyMs)
  const perSecond = (time: number): string => `${Math.round(total / (time / 1_000))}/s`
  return [
    {
      name: `Import of ${total} students, ${what}, of PostgreSQL COPY of the same rows`,
      value: copy / ms,
      aim: { least: 0.2 },
      detail: `${perSecond(ms)} against ${perSecond(copy)}; the same file again ${perSecond(again.ms)}; ${(cpuMs / total).toFixed(2)} ms of processor a row`,
    },
  ]
}

function soundness(runs: readonly Run[]): Figure[] {
  const faults = runs.flatMap(run => run.faults)
  const [first] = runs
  const samples = first?.samples ?? []
  const [start, ...later] = samples
  if (start === undefined) throw new Error('the memory was never looked at')
  const heap = Math.max(start.heapBytes, ...later.map(sample => sample.heapBytes))
  const rss = Math.max(...samples.map(sample => sample.rssBytes))
  return [
    {
      name: 'Most heap since, of that at the first look',
      value: heap / start.heapBytes,
      aim: { most: 1.3 },
      detail: `${mega(heap)} against ${mega(start.heapBytes)} after collection, ${samples.length} looks; process at most ${mega(rss)}`,
    },
    {
      name: 'Faults: each student, user, link and event once, and nothing by the same file again',
      value: faults.length,
      aim: { most: 0 },
      detail: faults.length === 0 ? 'none' : faults.join('; '),
    },
  ]
}

function* csvLines(total: number): Generator<string> {
  yield 'registration_id,fullname,identifier,grade,new_admission,academic_year_start,academic_year_end,date_of_birth,primary_contact_name,primary_contact_number,primary_contact_email'
  for (let i = 0; i < total; i++) {
    const day = `201${i % 9}-0${(i % 9) + 1}-1${i % 9}`
    const names = `Kabir Rao ${i},ADM-${i},${(i % 12) + 1},${i % 5 === 0 ? 'yes' : 'no'},2026,2027,${day},Asha Rao ${i}`
    yield `parent-${i},${names},98${10_000_000 + i},asha${i}@example.in`
  }
}

async function writeFile(path: string, lines: Iterable<string>): Promise<void> {
  const file = createWriteStream(path)
  for (const line of lines) if (!file.write(`${line}\n`)) await once(file, 'drain')
  file.end()
  await once(file, 'finish')
}

const mega = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`
