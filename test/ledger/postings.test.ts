import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { captureOf, settlementOf } from '../../src/ledger/ledger.rules.ts'
import { post } from '../../src/ledger/ledger.service.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { startBursar } from '../harness/bursar.ts'

const AT = new Date('2026-11-17T10:00:00Z')
const INSTITUTE = 1

const bursar = await startBursar({ after })

const readAll = (): Promise<unknown[]> =>
  bursar.sql(
    `select p.reference, t.line_no, t.source, t.amount_paise from ledger_postings p
     join ledger_transfers t on t.institute_id = p.institute_id and t.posting_id = p.id
     order by p.reference, t.line_no`,
  )

test('postings that are written side by side in a transaction each have their own transfers', async () => {
  const sums = { grossPaise: paiseOf(900), feePaise: paiseOf(18), refundPaise: paiseOf(0) }
  await bursar.app.ctx.db.transaction(tx =>
    Promise.all([
      post(tx, INSTITUTE, captureOf('a', paiseOf(500), false), AT),
      post(tx, INSTITUTE, settlementOf('b', sums), AT),
      post(tx, INSTITUTE, captureOf('c', paiseOf(400), true), AT),
    ]),
  )
  assert.deepEqual(await readAll(), [
    { reference: 'a', line_no: 1, source: 'institute_payable', amount_paise: 500 },
    { reference: 'b', line_no: 1, source: 'provider_receivable', amount_paise: 882 },
    { reference: 'b', line_no: 2, source: 'provider_receivable', amount_paise: 18 },
    { reference: 'b', line_no: 3, source: 'institute_settled', amount_paise: 900 },
    { reference: 'c', line_no: 1, source: 'payer_clearing', amount_paise: 400 },
  ])
})

test('what was posted before is refused, with everything that was done beside it', async () => {
  const known = await readAll()
  await assert.rejects(
    bursar.app.ctx.db.transaction(async tx => {
      await post(tx, INSTITUTE, captureOf('d', paiseOf(300), false), AT)
      await post(tx, INSTITUTE, captureOf('a', paiseOf(500), false), AT)
    }),
  )
  assert.deepEqual(await readAll(), known)
})
