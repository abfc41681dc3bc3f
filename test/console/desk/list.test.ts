import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { DESK, Desk } from './support.ts'

const desk = await Desk.open({ after })

const found = async (words: string): Promise<string[]> =>
  (await desk.ravi.get(`${DESK}/applications?search=${encodeURIComponent(words)}`)).body.data.map(
    (one: Json) => one.application_id,
  )

test('the desk sees where to transfer to, as the school says, and finds an application by its names', async () => {
  const id = await desk.sent()
  assert.deepEqual((await desk.read(id)).bank_accounts, [])
  const account = {
    holder: 'Sunrise Trust',
    number: '50100123456789',
    ifsc: 'HDFC0000123',
    bank: 'HDFC',
    upiId: null,
  }
  await desk.world.bursar.sql(`update institutes set bank_accounts = $1 where code = 'demo-school'`, [
    JSON.stringify([account]),
  ])
  const [shown] = (await desk.read(id)).bank_accounts
  assert.deepEqual([shown.number, shown.ifsc], ['50100123456789', 'HDFC0000123'])
  const { student } = (await desk.read(id)).loan
  assert.ok((await found(student.slice(0, 4).toLowerCase())).includes(id))
  assert.deepEqual(await found(id), [id])
  assert.deepEqual(await found('nobody of that name'), [])
  assert.deepEqual(await found('%'), [])
})
