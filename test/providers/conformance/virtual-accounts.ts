import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import type {
  CreditReport,
  OpenedVirtualAccount,
  VirtualAccountRequest,
} from '../../../src/providers/port.ts'
import { expectUnknown, itemsOf, readAll, type Rig } from './rig.ts'

export function conformVirtualAccounts(rig: Rig): void {
  const port = rig.provider.virtualAccounts ?? assert.fail('this provider gives no account numbers')
  const wanted = (): VirtualAccountRequest => {
    const { instituteId, collectorCode } = rig
    const holderName = 'Sunrise School कबीर Rao'
    return { instituteId, collectorCode, virtualAccountId: newId('va'), holderName, askedAt: null }
  }
  const repeated = (request: VirtualAccountRequest) => ({ ...request, askedAt: rig.now() })
  const open = (): Promise<OpenedVirtualAccount> => port.open(wanted())
  let sent = 0
  const send = async ({ providerRef }: OpenedVirtualAccount, paise = 4_500_50) => {
    const transfer = { paise, utr: `HDFCN5202${newId('va').slice(-8)}${++sent}`, name: 'Asha Rao' }
    return { ...transfer, isTaken: await rig.bank.transfer(providerRef, transfer) }
  }
  const heard = async (): Promise<CreditReport[]> =>
    (await readAll(rig)).flatMap(report => (report.about === 'credit' ? [report] : []))

  test('an account number that is asked for again is the same one, also by many at once', async () => {
    const request = wanted()
    const first = await port.open(request)
    assert.ok(first.accountNumber.length >= 8 && first.ifsc.length === 11)
    for (const again of await Promise.all([1, 2, 3].map(() => port.open(repeated(request)))))
      assert.deepEqual(again, first)
    assert.equal(await rig.times('account', first.providerRef), 1)
    assert.notEqual((await open()).accountNumber, first.accountNumber)
  })

  for (const fault of rig.faults)
    test(`an account number whose answer is ${fault} is unknown, and one when it is asked for again`, async () => {
      const request = wanted()
      rig.spoil?.('open', fault)
      await expectUnknown(port.open(request))
      const { providerRef } = await port.open(repeated(request))
      assert.equal(await rig.times('account', providerRef), 1)
    })

  test('money that comes is told with its account, UTR, amount and sender, the same however often', async () => {
    const account = await open()
    rig.callbacks()
    const { utr } = await send(account)
    const callbacks = rig.callbacks()
    const [told, ...more] = (await readAll(rig, [...callbacks, ...callbacks])).filter(
      one => one.about === 'credit',
    )
    assert.deepEqual(more, [told])
    assert.ok(told?.about === 'credit')
    assert.deepEqual(
      [told.instituteId, told.accountRef, told.utr, told.amountPaise, told.remitterName],
      [rig.instituteId, account.providerRef, utr, 4_500_50, 'Asha Rao'],
    )
    for (const callback of callbacks)
      for (const forged of rig.forge(callback)) assert.equal(await rig.provider.readCallback(forged), null)
  })

  test('a pay-out names the money as its callback did, and what no callback told is found by that', async () => {
    const account = await open()
    rig.callbacks()
    const { utr } = await send(account, 7_001_00)
    const [told] = await heard()
    const items = await itemsOf(rig, await rig.bank.settle())
    const [item, ...more] = items.filter(one => one.providerRef === told?.providerRef)
    assert.deepEqual([item?.kind, item?.ourId, item?.amountPaise, more], ['payment', '', 7_001_00, []])
    const { instituteId = 0, providerRef = '', bankReference = null } = item ?? {}
    const found = await port.findCredit({ instituteId, providerRef, utr: bankReference })
    assert.deepEqual(found, told)
    assert.deepEqual(
      await port.findCredit({ instituteId: rig.instituteId, providerRef: told?.providerRef ?? '', utr }),
      told,
    )
  })

  test('money that came goes back once, however often it is asked for', async () => {
    await send(await open())
    const [told] = await heard()
    assert.ok(told !== undefined)
    const refund = {
      instituteId: rig.instituteId,
      refundId: newId('rfd'),
      payment: { paymentId: newId('pay'), providerRef: told.providerRef },
      amountPaise: paiseOf(1_000_00),
    }
    await rig.provider.refund(refund)
    await Promise.allSettled([1, 2].map(() => rig.provider.refund(refund)))
    await rig.bank.processRefund(refund.refundId)
    assert.equal((await rig.provider.refund(refund)).outcome.kind, 'processed')
    assert.equal(await rig.times('refund', refund.refundId), 1)
  })

  test('a number that is closed, as often as we like, takes no more money, where the vendor can close one', async () => {
    const account = await open()
    const at = { instituteId: rig.instituteId, providerRef: account.providerRef }
    await port.close(at)
    await port.close(at)
    rig.callbacks()
    const { isTaken } = await send(account)
    assert.equal((await heard()).length, isTaken ? 1 : 0)
    assert.equal(isTaken, rig.keepsClosed === true)
  })
}
