import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPayment } from '../../src/payments/start/start-payment.service.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { assertStatus } from '../http/support.ts'
import { KINDS } from '../payments/disputes/kinds.ts'
import { openSchool } from './disputes-support.ts'

/** On the installation's account; the school's own differs by its address alone. */
for (const name of ['razorpay', 'cashfree'])
  for (const [kind, make] of Object.entries(KINDS))
    test(`a dispute at ${name} of a payment of a ${kind} is won, and another one lost, to the paisa`, async t => {
      const school = await openSchool(t, name, false)
      const { bursar, demo, gateway, ctx, institute, advance, options, deliver } = school
      const owedOf = async (studentId: string | undefined): Promise<number> =>
        studentId === undefined
          ? 0
          : (await demo.get(`${ERP}/students/${studentId}/dues`)).body.data.total_amount
      for (const outcome of ['won', 'lost'] as const) {
        const { orderId, url, studentId } = await make(bursar)
        gateway.pay((await startPayment(ctx, institute, orderId, options)).providerRef ?? '')
        await deliver()
        const paid = (await demo.get(url)).body.data
        assert.equal(paid.status, 'paid')
        const amount = paid.details.reduce((sum: number, line: Json) => sum + line.amount * 100, 0) / 100
        const left = await owedOf(studentId)
        gateway.settle()
        await advance('P1D')
        gateway.open()
        await deliver()
        const [open] = (await demo.get(`${PAY}/disputes?status=open`)).body.data
        assert.deepEqual([open.order_id, open.amount], [orderId, amount])
        assertStatus(await demo.post(`${url}/refunds`, { amount: 1 }), 409)
        if (outcome === 'won') gateway.win()
        else gateway.lose()
        await deliver()
        const after = (await demo.get(url)).body.data
        const gone = outcome === 'won' ? undefined : amount
        assert.deepEqual([after.status, after.refunded_amount], ['paid', gone])
        const again = studentId === undefined ? 0 : (gone ?? 0)
        assert.equal(Math.round((await owedOf(studentId)) * 100), Math.round((left + again) * 100))
        gateway.settle()
        await advance('P1D')
      }
      assert.deepEqual(await school.events(), [
        'pay.dispute.opened',
        'pay.dispute.won',
        'pay.dispute.opened',
        'pay.dispute.lost',
      ])
      await school.expectSound()
    })
