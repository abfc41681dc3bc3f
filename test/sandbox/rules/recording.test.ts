import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS } from '../../../src/platform/calendar.ts'
import { momentOf, newId } from '../../../src/platform/ids.ts'
import { readRecording, writeRecording } from '../../../src/sandbox/demo/recording.rules.ts'

const startedAt = new Date('2026-11-18T07:44:00.000Z')
const endedAt = new Date('2026-11-18T07:44:20.000Z')
const RECORDED = { startedAt, endedAt, day: '2026-11-18', publicUrl: 'http://recorded.invalid' }

/** One table with one row, read as of another moment. */
function moveRow(row: object, to: { endedAt: Date; day: string }): Record<string, unknown> {
  const tables = [{ name: 'orders', columns: Object.keys(row), rows: [JSON.stringify(row)] }]
  const text = writeRecording({ ...RECORDED, tables })
  const [table] = readRecording(text, { ...to, publicUrl: 'https://fees.example.in' }).tables
  return JSON.parse(table?.rows[0] ?? '') as Record<string, unknown>
}

test('a recorded school is moved to another day: its days, moments, messages, addresses and logs', () => {
  const nextYear = { endedAt: new Date('2027-03-01T12:00:20.000Z'), day: '2027-03-01' }
  assert.deepEqual(
    moveRow(
      {
        due_date: '2026-11-19',
        paid_at: '2026-11-17T18:30:00.049123+00:00',
        present_at: '2026-11-19T03:29:00+00:00',
        payload: { paid_at: '2026-07-01T05:30:00.000Z', academic_year: '2026-27', amount: 20261118 },
        body: '₹10,000.00 is due on 8 November 2026: http://recorded.invalid/pay/sunrise-school/x',
        recorded_at: '2026-11-18T07:44:05.500+00:00',
      },
      nextYear,
    ),
    {
      due_date: '2027-03-02',
      paid_at: '2027-02-28T18:30:00.049123Z',
      present_at: '2027-03-02T03:29:00Z',
      payload: { paid_at: '2026-10-12T05:30:00.000Z', academic_year: '2026-27', amount: 20261118 },
      body: '₹10,000.00 is due on 19 February 2027: https://fees.example.in/pay/sunrise-school/x',
      recorded_at: '2027-03-01T12:00:05.500Z',
    },
  )
})

test('read on the day and at the moment of its end, a recording is what it was', () => {
  const row = { id: newId('order'), due_date: '2026-12-31', created_at: '2026-11-18T07:44:05.5Z' }
  assert.deepEqual(moveRow(row, RECORDED), { ...row, created_at: '2026-11-18T07:44:05.500Z' })
})

test('ids move with the real time that passed and keep their order', () => {
  const ids = [newId('order'), newId('evt'), newId('dlv')]
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_000 * DAY_MS }), laterMs => {
      const to = { endedAt: new Date(endedAt.getTime() + laterMs), day: '2026-11-18' }
      const moved = moveRow({ ids }, to)['ids'] as string[]
      const times = moved.map(id => id.split('_')[1] ?? '')
      assert.deepEqual(times, times.toSorted())
      for (const [index, id] of moved.entries()) {
        const was = momentOf(ids[index] ?? '')?.getTime() ?? 0
        assert.equal(momentOf(id)?.getTime(), was + laterMs)
        assert.equal(id.slice(-15), ids[index]?.slice(-15))
      }
    }),
  )
})
