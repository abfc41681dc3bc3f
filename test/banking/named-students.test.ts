import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { BANK, BankDesk, credit } from './support.ts'

const bank = await BankDesk.open(after)
const { desk } = bank

test('a line that names an admission number proposes the child, as the list of students shows it', async () => {
  const id = await desk.register({ identifier: 'ADM-7001', fullname: 'Meera Iyer' })
  await desk.register({ identifier: 'ADM-7002' })
  const account = await bank.newAccount()
  await bank.add(account, [
    credit('2026-11-06', 'UPI/412345678901/adm 7001/FEES', '412345678901', 12_000),
    credit('2026-11-07', 'INTEREST', '', 77),
  ])
  const proposed = await Promise.all(
    (await bank.linesOf(account)).map(async line => {
      const { body } = await desk.viewer.get(`${BANK}/lines/${line.id}/students`)
      return body.data.map((one: Json) => [one.service_student_id, one.fullname])
    }),
  )
  assert.deepEqual(proposed, [[], [[id, 'Meera Iyer']]])
})
