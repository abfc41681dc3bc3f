import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, stateOf } from '../support.ts'

test('an instalment is announced 24 hours before with its amount, presented, debited and settled, each once', async t => {
  const world = await openWorld(t, { rail: 'upi_autopay' })
  await world.advanceUntil(plan => stateOf(plan) === 'settled', 'the first settlement')
  const [row] = await world.bursar.sql(
    `select i.notified_at, p.presented_at, p.amount_paise from flex_presentations p
     join flex_instalments i on i.id = p.instalment_id`,
  )
  assert.ok(row)
  assert.ok(row['presented_at'] - row['notified_at'] >= 24 * 3_600_000)
  const notice = (await world.mailbox()).find(mail => /will be debited on/.test(mail.subject ?? ''))
  assert.match(notice.text, /₹7,200\.05/)
  assert.equal(row['amount_paise'], 720005)
  for (const code of ['flex.instalment.debited', 'flex.instalment.settled'])
    assert.equal((await world.eventsOf(code)).length, 1, code)
  assert.equal((await world.plan()).paid_amount, 7200.05)
})
