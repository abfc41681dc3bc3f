import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import type { Json } from '../harness/client.ts'
import { waitFor } from '../harness/wait.ts'
import { kill, startWorker } from '../harness/processes/worker-process.ts'
import { csv, getImport, studentRow, upload } from './support.ts'

/** Workers are killed in the middle of an import, as often as it takes; another goes on. */
const ROWS = Number(process.env['KILL_ROWS'] ?? 3_000)

const DATABASE_URL = await cloneDatabase({ after })
const bursar = await startBursar({ after }, { DATABASE_URL })
const { demo } = bursar

/** While it is checked, and while it is applied; whichever of the two it is, some of it is done. */
const MOMENTS: ((one: Json) => boolean)[] = [
  one => one.state === 'checking' && one.progress > 5,
  one => one.state === 'running' && one.progress > 5,
]

for (const mode of ['all', 'good']) {
  test(`mode ${mode}: a worker that is killed leaves an import that another finishes, each row once`, async t => {
    const rows = Array.from({ length: ROWS }, (_, index) =>
      studentRow({ identifier: `${mode}-${index}`, registration_id: `${mode}-parent-${index % 500}` }),
    )
    const { body, text } = await upload(demo, `kind=students&mode=${mode}`, csv(rows))
    assert.ok(body.data, text)
    const { id } = body.data
    let hits = 0
    for (const isMoment of MOMENTS) {
      const worker = startWorker(DATABASE_URL)
      let one: Json = null
      await waitFor(
        async () => {
          one = await getImport(demo, id)
          return isMoment(one) || one.state === 'done'
        },
        'the import to be under way',
        { everyMs: 5 },
      )
      await kill(worker)
      const left = await getImport(demo, id)
      if (left.state !== 'done') hits++
      if (mode === 'all' && left.state !== 'done') assert.equal(left.rows.applied, 0)
    }
    const last = startWorker(DATABASE_URL)
    t.after(() => kill(last))
    await waitFor(async () => (await getImport(demo, id)).state === 'done', 'the import to be done')
    const done = await getImport(demo, id)
    assert.deepEqual(done.rows, { total: ROWS, good: ROWS, bad: 0, applied: ROWS, unchanged: 0 })
    const [counts] = await bursar.sql<Json>(
      `select count(*)::int as students, count(distinct s.identifier)::int as identifiers,
         (select count(*)::int from events e where e.event_code = 'masterdata.student.registered'
            and e.payload->'student'->>'identifier' like $1) as events,
         (select count(*)::int from users where registration_id like $1) as users,
         (select count(*)::int from student_users where registration_id like $1) as links
       from students s where s.identifier like $1`,
      [`${mode}-%`],
    )
    assert.deepEqual(counts, { students: ROWS, identifiers: ROWS, events: ROWS, users: 500, links: ROWS })
    assert.ok(hits > 0, 'the kills have hit something')
    t.diagnostic(`${hits} of ${MOMENTS.length} kills came in the middle`)
  })
}
