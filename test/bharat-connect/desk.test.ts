import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDesk } from '../../emulators/setu/desk.ts'
import { startBursar } from '../harness/bursar.ts'
import { assertStatus, register } from '../http/support.ts'
import { openUnit } from './support.ts'

test('the page of the emulator fetches a bill, pays it, posts it three times at once and pays out', async t => {
  const bursar = await startBursar(t)
  const { settings } = await openUnit(bursar)
  const fees = { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1000 }] }
  assertStatus(await register(bursar.demo, 'parent', { identifier: 'BC-1' }, fees), 201)
  const desk = await startDesk({
    ...settings,
    clock: { now: () => bursar.app.ctx.clock.now(), read: async () => {} },
  })
  t.after(() => desk.close())
  const act = async (form: Record<string, string>): Promise<string> =>
    (await fetch(`${desk.url}/`, { method: 'POST', body: new URLSearchParams(form) })).text()
  const shown = await act({ do: 'fetch', admission_number: 'BC-1', date_of_birth: '20-06-2015' })
  assert.match(shown, /The app shows ₹1,000.00 for Kabir Rao/)
  const [, bill = ''] = /name="on" value="(\d+)"/.exec(shown) ?? []
  const taken = await act({ do: 'pay', on: bill, amount: '400' })
  const [, reference = ''] = /Taken, and not posted: (\w+)/.exec(taken) ?? []
  const posted = await act({ do: 'post at once three times', on: reference })
  assert.match(posted, /Bursar answered (\S+), \1, \1/)
  assert.match(await act({ do: 'pay out' }), /Paid out 1\./)
  const settled = await bursar.sql(
    'select id from payments where transaction_id = $1 and settlement_id is not null',
    [reference],
  )
  assert.equal(settled.length, 1)
})
