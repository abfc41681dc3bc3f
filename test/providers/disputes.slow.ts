import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFamilyOrders, openFamilyOrders } from '../../src/dues/pay-dues.service.ts'
import { startPayment, startTogether } from '../../src/payments/start/start-payment.service.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder } from '../harness/samples.ts'
import { assertStatus, newStudent } from '../http/support.ts'
import { FEE, openSchool } from './disputes-support.ts'

for (const name of ['razorpay', 'cashfree'])
  for (const isOwn of [false, true]) {
    const whose = isOwn ? "a school's own account" : "the installation's account"
    test(`a payment through ${whose} at ${name} is disputed, lost, in the books and the pay-out, to the paisa`, async t => {
      const school = await openSchool(t, name, isOwn)
      const { demo, gateway, deliver, ctx, institute, advance, options } = school
      const { order_id: orderId } = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data
      const url = `${PAY}/orders/${orderId}`
      gateway.pay((await startPayment(ctx, institute, orderId, options)).providerRef ?? '')
      await deliver()
      gateway.settle()
      await advance('P1D')
      const paid = (await demo.get(url)).body.data
      assert.equal(typeof paid.details[0].settlement_utr, 'string')
      const amount = paid.details.reduce((sum: number, line: Json) => sum + line.amount, 0)

      gateway.open()
      await deliver()
      const [opened] = (await demo.get(`${PAY}/disputes?status=open`)).body.data
      assert.deepEqual([opened.order_id, opened.amount, opened.provider], [orderId, amount, name])
      assert.equal(typeof opened.respond_by, 'string')
      assertStatus(await demo.post(`${url}/refunds`, { amount: 1 }), 409)
      gateway.lose()
      await deliver()
      const lost = (await demo.get(url)).body.data
      assert.deepEqual([lost.status, lost.refunded_amount], ['paid', amount])
      assertStatus(await demo.post(`${url}/refunds`, { amount: 1 }), 409)

      gateway.settle()
      await advance('P1D')
      const dispute = (await demo.get(`${PAY}/disputes/${opened.id}`)).body.data
      assert.equal(dispute.status, 'lost')
      const settlement = (await demo.get(`${PAY}/settlements/${dispute.settlement_utr}`)).body.data
      assert.deepEqual(
        settlement.items.map((item: Json) => [item.type, item.amount]),
        [
          ['chargeback_fee', FEE],
          ['chargeback', amount],
        ],
      )
      const { gross, charges, chargebacks, net } = settlement
      assert.deepEqual([gross, charges, chargebacks, net], [0, FEE, amount, -amount - FEE])
      assert.deepEqual(await school.events(), ['pay.dispute.opened', 'pay.dispute.lost'])
      await school.expectSound()
    })
  }

for (const name of ['razorpay', 'cashfree']) {
  test(`a dispute at ${name} of which we heard nothing is found when a pay-out is less by it`, async t => {
    const school = await openSchool(t, name, false)
    const { demo, gateway, ctx, institute, advance, options } = school
    const studentId = await newStudent(demo, {
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 5_000 }],
    })
    const { order_id: orderId } = (await demo.post(`${PAY}/students/${studentId}/orders`, {})).body.data
    gateway.pay((await startPayment(ctx, institute, orderId, options)).providerRef ?? '')
    await school.deliver()
    gateway.lose()
    gateway.outbox.splice(0)
    gateway.settle()
    await advance('P1D')
    const dues = (await demo.get(`${ERP}/students/${studentId}/dues`)).body.data
    assert.equal(dues.total_amount, 5_000, 'the fees are open again')
    assert.deepEqual(await school.events(), ['pay.dispute.lost'])
    await school.expectSound()
  })

  test(`a dispute at ${name} of one payment for two children is each child's part, won or lost`, async t => {
    const school = await openSchool(t, name, false)
    const { bursar, demo, gateway, ctx, institute, advance, options, deliver } = school
    const ids: string[] = []
    for (const fee_amount of [9_000.01, 3_000])
      ids.push(await newStudent(demo, { fee_components: [{ component_type: 'TUITION_FEE', fee_amount }] }))
    const wanted = ids.map(studentId => ({ studentId, componentTypes: ['TUITION_FEE'] }))
    const { checkoutId } = await openFamilyOrders(ctx, institute, wanted, {
      urlOf: () => `${bursar.url}/parents`,
      takeOver: false,
      payer: null,
    })
    const orderIds = (await findFamilyOrders(ctx, institute, checkoutId)).map(order => order.id)
    const { providerRef } = await startTogether(ctx, institute, orderIds, options)
    gateway.pay(providerRef ?? '')
    await deliver()
    gateway.settle()
    await advance('P1D')
    gateway.open()
    await deliver()
    const open = (await demo.get(`${PAY}/disputes`)).body.data
    assert.deepEqual(
      open.map((one: Json) => one.amount).toSorted((one: number, other: number) => one - other),
      [3_000, 9_000.01],
    )
    assert.equal(new Set(open.map((one: Json) => one.provider_reference)).size, 1)
    await advance('PT1H')
    const mails = await bursar.sql<{ recipient: string; subject: string }>(
      `select recipient, subject from messages where subject like 'Disputed payment of %'`,
    )
    assert.ok(mails.length > 0 && mails.every(one => one.subject.includes('₹12,000.01')), 'of the whole sum')
    assert.equal(new Set(mails.map(one => one.recipient)).size, mails.length, 'one mail to each')
    gateway.lose()
    await deliver()
    gateway.settle()
    await advance('P1D')
    const dues = await Promise.all(
      ids.map(async id => (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount),
    )
    assert.deepEqual(dues, [9_000.01, 3_000])
    assert.equal((await school.events()).filter(code => code === 'pay.dispute.lost').length, 2)
    await school.expectSound()
  })

  test(`a dispute at ${name} that is won moves nothing`, async t => {
    const school = await openSchool(t, name, false)
    const { demo, gateway, ctx, institute, advance, options, deliver } = school
    const { order_id: orderId } = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data
    gateway.pay((await startPayment(ctx, institute, orderId, options)).providerRef ?? '')
    await deliver()
    gateway.open()
    gateway.win()
    await deliver()
    gateway.settle()
    await advance('P1D')
    const { data } = (await demo.get(`${PAY}/orders/${orderId}`)).body
    assert.deepEqual([data.status, data.refunded_amount], ['paid', undefined])
    assert.deepEqual(await school.events(), ['pay.dispute.opened', 'pay.dispute.won'])
    await school.expectSound()
  })
}
