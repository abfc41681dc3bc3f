import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SettlementReport } from '../../../src/providers/port.ts'
import { KEYS } from '../../../emulators/razorpay/books.ts'
import type { ReconItem } from '../../../emulators/razorpay/entities.ts'
import type { Fields } from '../../../emulators/server.ts'
import { assertUnavailable } from '../failures.ts'
import { createRazorpay } from '../../../src/providers/razorpay/razorpay.client.ts'
import { fake, flood, paymentId, razorpay, refundId } from './support.ts'

function settled(index: number, changes: Fields = {}): ReconItem {
  return {
    entity_id: `pay_${index}`,
    type: 'payment',
    amount: 10_000,
    credit: 9_764,
    debit: 0,
    fee: 236,
    tax: 36,
    settled: true,
    settled_at: 1_793_836_800,
    settlement_id: 'setl_1',
    settlement_utr: 'UTR1',
    order_receipt: null,
    notes: { institute_id: '41', payment_id: `pay_our_${index}` },
    ...changes,
  }
}

async function readDay(from = razorpay): Promise<SettlementReport[]> {
  const reports: SettlementReport[] = []
  for await (const report of from.settlements('2026-11-05')) reports.push(report)
  return reports
}

test('settlements are read through all pages and grouped by UTR and institute', async () => {
  for (let i = 0; i < 2_345; i++) {
    const institute_id = i % 3 === 0 ? '42' : '41'
    const utr = i % 2 === 0 ? { settlement_id: 'setl_2', settlement_utr: 'UTR2' } : {}
    fake.recon.push(settled(i, { ...utr, notes: { institute_id, payment_id: `pay_our_${i}` } }))
  }
  const reports = await readDay()
  assert.deepEqual(
    fake.seen.map(({ query }) => query.toString()),
    Array.from({ length: 10 }, (_, page) => `year=2026&month=11&day=05&count=250&skip=${page * 250}`),
  )
  assert.deepEqual(reports.map(({ instituteId, utr }) => `${instituteId} ${utr}`).sort(), [
    '41 UTR1',
    '41 UTR2',
    '42 UTR1',
    '42 UTR2',
  ])
  const items = reports.flatMap(report => report.items)
  assert.equal(new Set(items.map(item => item.ourId)).size, 2_345)
  assert.deepEqual(
    items.find(item => item.ourId === 'pay_our_7'),
    {
      kind: 'payment',
      ourId: 'pay_our_7',
      providerRef: 'pay_7',
      payOutId: 'setl_1',
      amountPaise: 10_000,
      feePaise: 236,
    },
  )
  assert.deepEqual(reports[0]?.settledAt, new Date(1_793_836_800_000))
})

test('whatever a pay-out holds is reported, and adds up to what reached the bank', async () => {
  const refundNotes = { institute_id: '41', refund_id: refundId, payment_id: paymentId }
  fake.recon.push(
    settled(1),
    settled(2, {
      type: 'refund',
      entity_id: 'rfnd_2',
      amount: 3_000,
      credit: 0,
      debit: 3_000,
      notes: refundNotes,
    }),
    settled(3, { notes: 'Beam me up Scotty.', order_receipt: 'pay_our_3' }),
    settled(4, { type: 'transfer', entity_id: 'trf_4', amount: 1_000, credit: 0, debit: 1_296, notes: null }),
    settled(5, {
      type: 'adjustment',
      entity_id: 'adj_5',
      amount: 12,
      credit: 12,
      notes: null,
      settlement_utr: null,
    }),
    settled(6, { settlement_id: 'setl_9', settlement_utr: null }),
    settled(7, { settled: false, settled_at: null, settlement_id: null, settlement_utr: null }),
  )
  const reports = await readDay()
  assert.deepEqual(
    reports.map(({ instituteId, utr }) => [instituteId, utr]),
    [
      [41, 'UTR1'],
      [0, 'UTR1'],
      [41, 'setl_9'],
    ],
  )
  assert.deepEqual(
    reports[0]?.items.map(item => item.ourId),
    ['pay_our_1', refundId],
  )
  assert.deepEqual(reports[1]?.items, [
    {
      kind: 'payment',
      ourId: 'pay_our_3',
      providerRef: 'pay_3',
      payOutId: 'setl_1',
      amountPaise: 10_000,
      feePaise: 236,
    },
    {
      kind: 'refund',
      ourId: '',
      providerRef: 'trf_4',
      payOutId: 'setl_1',
      amountPaise: 1_000,
      feePaise: 296,
    },
    { kind: 'payment', ourId: '', providerRef: 'adj_5', payOutId: 'setl_1', amountPaise: 12, feePaise: 0 },
  ])
  const net = reports
    .slice(0, 2)
    .flatMap(report => report.items)
    .reduce((sum, item) => sum + (item.kind === 'payment' ? 1 : -1) * item.amountPaise - item.feePaise, 0)
  assert.equal(net, 9_764 - 3_000 + 9_764 - 1_296 + 12)
})

test('figures that do not add up are an error, not a settlement', async () => {
  fake.recon.push(settled(1, { credit: 10_001 }))
  await assertUnavailable(readDay(), /figures for pay_1 do not add up/)
  fake.recon.splice(0, 1, settled(1, { amount: 99.5 }))
  await assertUnavailable(readDay(), /items\[0\]\.amount must be a whole number of paise/)
})

test('a page may be long, but not without end', async () => {
  for (let i = 0; i < 900; i++) fake.recon.push(settled(i, { description: 'x'.repeat(5_000) }))
  assert.equal((await readDay())[0]?.items.length, 900)
  fake.spoil('GET /v1/settlements', flood)
  const patient = createRazorpay({ ...KEYS, baseUrl: fake.url })
  await assertUnavailable(readDay(patient), /at most 2097152 bytes/)
})

test('a page that fails in the middle of a day reports nothing of it', async () => {
  for (let i = 0; i < 1_500; i++) fake.recon.push(settled(i))
  Object.assign(fake.recon[1_200] ?? {}, { entity_id: null })
  const reports: SettlementReport[] = []
  await assertUnavailable(
    (async () => {
      for await (const report of razorpay.settlements('2026-11-05')) reports.push(report)
    })(),
    /items/,
  )
  assert.deepEqual(reports, [])
})
