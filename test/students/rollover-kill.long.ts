import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { yearEnd } from '../../src/app/jobs.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import type { Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { kill, startWorker } from '../harness/processes/worker-process.ts'

/** A whole school goes into its next year while workers are killed, and in one run: both end the same. */
const STUDENTS = Number(process.env['ROLLED_STUDENTS'] ?? 5_000)
const ROLLOVER = `${ERP}/academic-years/rollover`
const GRADES = Array.from({ length: 12 }, (_, index) => String(index + 1))
const OPTIONS = {
  from_academic_year_start: 2026,
  from_academic_year_end: 2027,
  to_academic_year_start: 2027,
  to_academic_year_end: 2028,
  grades: GRADES.map(grade =>
    grade === '12' ? { grade } : { grade, next_grade: String(Number(grade) + 1) },
  ),
  fees: GRADES.slice(1).map(grade => ({
    grade,
    fee_components: [
      { component_type: 'TUITION_FEE', fee_amount: 40000 + Number(grade) * 1000 },
      { component_type: 'TRANSPORT_FEE', fee_amount: 12000 },
    ],
  })),
  carry_dues_as: 'PREVIOUS_YEAR_DUES',
  carry_advance_as: 'PREVIOUS_YEAR_ADVANCE',
}

/** Students with fees and a payment each: some owe, some have paid too much. Copied in SQL from one that the API made. */
async function fill(bursar: TestBursar): Promise<void> {
  const { body } = await bursar.demo.post(`${ERP}/users/parent-0/students`, {
    student: sampleStudent({ identifier: 'S-0', grade: '1' }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 40000 }],
    payments: [
      {
        amount: 10000,
        paid_at: '2026-06-05',
        mode: 'cash',
        transaction_id: 'CASH',
        fee_components: [{ component_type: 'TUITION_FEE', amount: 10000 }],
      },
    ],
  })
  const id = body.data.service_student_id
  await copy(bursar, 'students', id, {
    id: `'student_' || lpad(n::text, 6, '0')`,
    identifier: `'S-' || n`,
    grade: `(n % 12 + 1)::text`,
  })
  const studentId = { student_id: `'student_' || lpad(n::text, 6, '0')` }
  await copy(bursar, 'student_users', id, studentId)
  await copy(bursar, 'fee_components', id, studentId)
  const amount_paise = `case when n % 3 = 0 then 4500000 when n % 3 = 1 then 4000000 else 1000000 end`
  await copy(bursar, 'direct_payments', id, { ...studentId, amount_paise, id: `'pay_' || n` })
  await copy(bursar, 'direct_payment_lines', id, { ...studentId, amount_paise })
  // As autovacuum would have done since.
  await bursar.sql('analyze')
}

async function copy(
  bursar: TestBursar,
  table: string,
  studentId: string,
  changed: Record<string, string>,
): Promise<void> {
  const columns = await bursar.sql<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO' order by ordinal_position`,
    [table],
  )
  const names = columns.map(({ name }) => name)
  const key = table === 'students' ? 'id' : 'student_id'
  await bursar.sql(
    `insert into ${table} (${names.join(', ')})
     select ${names.map(name => changed[name] ?? `t.${name}`).join(', ')}
     from ${table} t cross join generate_series(1, ${STUDENTS - 1}) n where t.${key} = $1`,
    [studentId],
  )
}

/** All that a rollover writes, without ids and moments. */
async function outcome(bursar: TestBursar): Promise<Json> {
  return {
    balances: await bursar.sql(
      `select s.identifier, s.grade, s.academic_year_start, b.component_type, b.outstanding_paise, b.advance_paise
       from students s left join student_balances b on b.institute_id = s.institute_id and b.student_id = s.id
       order by 1, 3, 4`,
    ),
    links: await bursar.sql(
      `select s.identifier, s.academic_year_start, u.registration_id from student_users u
       join students s on s.institute_id = u.institute_id and s.id = u.student_id order by 1, 2, 3`,
    ),
    counts: await bursar.sql(
      `select (select count(*)::int from events) as events, (select count(*)::int from student_transfers) as transfers,
         (select sum(amount_paise)::text from student_transfers) as transferred, (select count(*)::int from fee_changes) as changes`,
    ),
  }
}

async function start({ demo }: TestBursar): Promise<string> {
  const answer = await demo.post(ROLLOVER, OPTIONS)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.id
}

test('a rollover whose workers are killed and repeated ends exactly as one run does', async t => {
  const whole = await startBursar(t)
  await fill(whole)
  const before = performance.now()
  const preview = (await whole.demo.post(ROLLOVER, { ...OPTIONS, preview: true })).body.data
  const previewed = performance.now()
  await start(whole)
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(whole.app.ctx, yearEnd)
  t.diagnostic(
    `${STUDENTS} students: preview ${Math.round(previewed - before)} ms, run ${Math.round(performance.now() - previewed)} ms, ` +
      `heap ${Math.round(process.memoryUsage().heapUsed / 1e6)} MB`,
  )
  const expected = await outcome(whole)

  const databaseUrl = await cloneDatabase({ after })
  const killed = await startBursar(t, { DATABASE_URL: databaseUrl })
  await fill(killed)
  const id = await start(killed)
  const read = async (): Promise<Json> => (await killed.demo.get(`${ROLLOVER}/${id}`)).body.data
  let hits = 0
  for (const share of [0.05, 0.4, 0.75]) {
    const worker = startWorker(databaseUrl)
    await waitFor(async () => (await read()).students_seen > share * STUDENTS, 'students to be seen', {
      everyMs: 5,
    })
    await kill(worker)
    if ((await read()).state === 'running') hits++
  }
  const last = startWorker(databaseUrl)
  await waitFor(async () => (await read()).state === 'done', 'the rollover to be done')
  await kill(last)
  assert.deepEqual(await outcome(killed), expected)
  const { id: _id, created_at: _created, finished_at: _finished, ...done } = await read()
  const { id: _previewId, created_at: _at, finished_at: _end, ...foreseen } = preview
  assert.deepEqual(done, foreseen)
  assert.ok(hits > 0, 'the kills have hit something')
  t.diagnostic(`${hits} of 3 kills came in the middle`)

  await start(killed)
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(killed.app.ctx, yearEnd)
  assert.deepEqual(await outcome(killed), expected, 'a repetition changes nothing')
})
