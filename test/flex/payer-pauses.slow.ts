import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { FLEX, openWorld, stateOf } from './support.ts'

/** The payer pauses the mandate in the UPI app: nothing is presented under it until the payer lets it go on there. */
test('a mandate that the payer pauses in the UPI app holds its plan until the payer resumes it, and both sides are told', async t => {
  const world = await openWorld(t, { rail: 'upi_autopay', withErp: false })
  const { demo } = world.bursar
  const { mandate } = await world.plan()
  const at = `/api/v1/sandbox/flex/mandates/${mandate.id}`
  const act = (name: string) => demo.post(`${FLEX}/plans/${world.planId}/${name}`)
  await world.advanceUntil(plan => stateOf(plan) === 'confirmed', 'the notice')
  assert.equal((await demo.post(`${at}/pause`)).body.data.is_paused, true)
  const held = await world.plan()
  assert.deepEqual([held.is_held, held.held_by, stateOf(held)], [true, 'upi_app', 'scheduled'])
  await world.advance('P6D')
  assert.equal((await world.plan()).payment_schedule[0].attempts.length, 0, 'nothing is presented')
  const refused = await act('resume')
  assert.equal(refused.status, 409)
  assert.match(refused.text, /paused the mandate in the UPI app/)
  assert.equal((await demo.post(`${at}/resume`)).body.data.is_paused, false)
  const resumed = await world.plan()
  assert.deepEqual([resumed.is_held, resumed.held_by], [false, undefined])
  await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the debit', 15)
  const holds = (await world.eventsOf('flex.subscription.updated')).flatMap(({ changes }) =>
    changes.filter((one: Json) => one.field === 'hold').map((one: Json) => one.after),
  )
  assert.deepEqual(holds, [true, false])
  const subjects = (await world.mailbox()).map((mail: Json) => String(mail['subject']))
  for (const wanted of [/^The debits for .* are paused$/, /^The debits for .* go on$/])
    assert.equal(subjects.filter(subject => wanted.test(subject)).length, 1, String(wanted))
  // The school holds it besides: the payer's word does not end that.
  await demo.post(`${at}/pause`)
  assert.equal((await act('hold')).body.data.held_by, 'institute')
  await demo.post(`${at}/resume`)
  assert.deepEqual([(await world.plan()).held_by, (await act('resume')).status], ['institute', 200])
})
