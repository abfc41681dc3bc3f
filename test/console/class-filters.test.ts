import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { LoanWorld } from '../loans/support.ts'
import { LISTS } from './lists-support.ts'
import { API, createPerson } from './support.ts'

const world = await LoanWorld.open({ after })
const { bursar } = world
const AT = `${API}/institutes/demo-school`
const viewer = await createPerson(bursar, {
  email: 'looks@school.example',
  institute: 'demo-school',
  role: 'viewer',
})

/** Of these a row is no child's: files, runs, bank lines, messages, logs. */
const OF_NO_CHILD = [
  'money/settlements',
  'money/disputes',
  'money/ledger/transfers',
  'counter/deposits',
  'bank/lines',
  'reminder-runs',
  'approvals',
  'link-batches',
  'student-files',
  'deliveries',
  'events',
  'webhooks',
  'keys',
  'payment-pages',
  'requests',
  'messages',
  'flex/erp/fetches',
]

test('every list of children and their money has filters of class and section', async () => {
  const without: string[] = []
  for (const list of Object.keys(LISTS)) {
    const { filters } = (await viewer.get(`${AT}/${list}/columns`)).body.data
    const keys: string[] = filters.map((one: Json) => one.key)
    if (!keys.includes('grade') || !keys.includes('section')) without.push(list)
  }
  assert.deepEqual(without.toSorted(), OF_NO_CHILD.toSorted())
})

test('loans are found by the class of the student, as people write it', async () => {
  const [one, other] = [await world.student(), await world.student()]
  const loan = await world.start(one)
  await world.start(other)
  await bursar.sql(`update students set grade = 'Nursery', section = 'B ' where id = $1`, [one])
  for (const query of ['grade=nursery', 'section=b', 'grade=NURSERY&section=B']) {
    const rows = (await viewer.get(`${AT}/loans?${query}`)).body.data
    assert.deepEqual(
      rows.map((row: Json) => row.application_id),
      [loan],
      query,
    )
  }
  assert.deepEqual((await viewer.get(`${AT}/loans?grade=nursery&section=A`)).body.data, [])
})
