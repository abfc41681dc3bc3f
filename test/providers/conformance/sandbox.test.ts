import assert from 'node:assert/strict'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import type { ReturnCategory } from '../../../src/flex/rules/returns.rules.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import type { Rail, Callback } from '../../../src/providers/port.ts'
import type { MandateAct } from '../../../src/sandbox/bank/simulator.rules.ts'
import type { SandboxBank } from '../../../src/sandbox/bank/simulator.service.ts'
import { startBursar } from '../../harness/bursar.ts'
import { conform } from './conformance.ts'
import type { Rig } from './rig.ts'

const CODES: Partial<Record<ReturnCategory, Record<Rail, string>>> = {
  funds: { enach: '04', upi_autopay: 'Z9' },
  bank: { enach: '59', upi_autopay: 'U30' },
  mandate: { enach: '08', upi_autopay: 'QA' },
  limit: { enach: '15', upi_autopay: 'U54' },
}

await conform(async owner => {
  const bursar = await startBursar(owner)
  const { ctx } = bursar.app
  const bank = ctx.accounts.installation.get('sandbox') as SandboxBank
  const { id: instituteId } = await getInstitute(ctx, 'demo-school')
  const posted: Callback[] = []
  bank.tell = async callback => void posted.push(callback)

  const payment = async (paymentId: string) => {
    const [row] = await bursar.sql<{ ref: string; amountPaise: number }>(
      'select ref, amount_paise as "amountPaise" from bank_payments where payment_id = $1',
      [paymentId],
    )
    return { instituteId, ...(row ?? assert.fail('the bank has no such payment')) } as Parameters<
      SandboxBank['act']
    >[0]
  }
  const onMandate = async (mandateId: string, act: MandateAct): Promise<void> => {
    const mandate = await bank.findMandate(instituteId, { mandateId })
    assert.ok(mandate !== null)
    posted.push(...(await bank.actOnMandate(mandate, act)))
  }
  const confirmMandates = async (): Promise<void> => {
    await bursar.sql('update bank_mandates set confirm_at = $1 where confirm_at is not null', [
      ctx.clock.now(),
    ])
    await bank.runDue(100)
  }
  const rig: Rig = {
    provider: bank,
    instituteId,
    collectorCode: 'MAIN',
    payer: {
      pay: async id => void posted.push(...(await bank.act(await payment(id), { outcome: 'success' }))),
      fail: async id => void posted.push(...(await bank.act(await payment(id), { outcome: 'failure' }))),
      approve: id => onMandate(id, 'approve'),
      decline: id => onMandate(id, 'decline'),
      revoke: id => onMandate(id, 'revoke'),
    },
    bank: {
      confirm: confirmMandates,
      async refuse(id) {
        await bursar.sql(`update bank_mandates set failure_code = 'bank_refused' where mandate_id = $1`, [id])
        await confirmMandates()
      },
      debit: async id => void posted.push(...(await bank.decide(await payment(id), { kind: 'debited' }))),
      bounce: async (id, why, rail) =>
        void posted.push(
          ...(await bank.decide(await payment(id), { kind: 'bounced', code: CODES[why]?.[rail] })),
        ),
      takeBack: async id => void posted.push(...(await bank.decide(await payment(id), { kind: 'bounced' }))),
      processRefund: async () => {},
      async transfer(ref, { paise, utr, name: remitterName }) {
        const [row] = await bursar.sql<{ id: string }>(
          'select virtual_account_id as id from bank_virtual_accounts where ref = $1',
          [ref],
        )
        const virtualAccountId = row?.id ?? assert.fail('the bank has no such account')
        const sent = { instituteId, virtualAccountId, amountPaise: paiseOf(paise), utr, remitterName }
        posted.push(...(await bank.credit(sent)).callbacks)
        return true
      },
      async settle() {
        await bank.payOut(new Date(ctx.clock.now().getTime() + 1_000))
        return dayOf(ctx.clock.now())
      },
    },
    callbacks: () => posted.splice(0),
    forge: ({ headers, rawBody }) => [
      { headers: {}, rawBody },
      { headers: { 'x-sandbox-bank-signature': '0'.repeat(64) }, rawBody },
      { headers, rawBody: Buffer.concat([rawBody, Buffer.from(' ')]) },
    ],
    async times(what, id) {
      const [table, column] = {
        payment: ['bank_payments', 'payment_id'],
        debit: ['bank_payments', 'payment_id'],
        refund: ['bank_refunds', 'refund_id'],
        mandate: ['bank_mandates', 'mandate_id'],
        account: ['bank_virtual_accounts', 'ref'],
      }[what] as [string, string]
      const [row] = await bursar.sql<{ count: number }>(
        `select count(*) as count from ${table} where ${column} = $1`,
        [id],
      )
      return Number(row?.count)
    },
    bounces: ['funds', 'bank', 'mandate', 'limit'],
    now: () => ctx.clock.now(),
    faults: [],
    keepsClosed: true,
  }
  return rig
})
