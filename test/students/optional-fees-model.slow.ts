import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeOptionalFee, monthlyBus } from '../console/students/optional-fee.ts'
import { STUDENTS, StudentDesk, TUITION } from '../console/students/support.ts'
import { dataOf, dataUnlessRefused, type Json } from '../harness/client.ts'
import { drawFrom } from '../harness/random.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP } from '../harness/samples.ts'

/** Random changes of what a child has, while payments of its dues are begun, captured, failed and taken in cash. */
const desk = await StudentDesk.open(after)
const { bursar, finance } = desk
const { demo } = bursar
const STEPS = 60

const MONTHS = ['2026-11', '2026-12', '2027-01'] as const

/** Absent where nothing is. */
const onTheWay = (component: Json): number => component.on_the_way_amount ?? 0

test('whatever is begun, changed and ended while money is on the way, each paisa is a fee paid, an advance or back', async () => {
  const { at, options } = await makeOptionalFee(finance, {
    ...monthlyBus(MONTHS, [
      { name: 'Route 1', amount: 1_000.5 },
      { name: 'Route 2', amount: 1_700 },
    ]),
    rounded_to_rupees: false,
  })
  const child = await desk.register({}, { fees: [{ ...TUITION, fee_amount: 2_000 }] })
  const student_ids = [child]
  const pick = drawFrom(1)
  const day = (): string => {
    const month = MONTHS[pick(3)] ?? MONTHS[0]
    return `${month}-${String(1 + pick(28)).padStart(2, '0')}`
  }
  let pending: string | null = null
  let takenInCash = 0
  let captured = 0
  for (let step = 0; step < STEPS; step++) {
    const what = pick(6)
    if (what === 0) {
      const option_id = options[pick(2)]
      dataOf(
        await finance.post(`${at}/children`, {
          student_ids,
          option_id,
          first_day: day(),
          change: pick(3) > 0,
        }),
      )
    } else if (what === 1)
      dataOf(await finance.post(`${at}/endings`, { student_ids, last_day: day(), reason: 'Ends' }))
    else if (what === 2 && pick(3) === 0)
      dataOf(await finance.post(`${at}/endings`, { student_ids, take_back: true, reason: 'A mistake' }))
    else if (what === 3 && pending === null) {
      const order = dataUnlessRefused(await finance.post(`${STUDENTS}/${child}/orders`, {}))
      if (order === null) continue
      const { payment_id } = dataOf(
        await demo.post(`/api/v1/sandbox/pay/orders/${order.order_id}/pay`, { outcome: 'pending' }),
      )
      pending = payment_id
    } else if (what === 4 && pending !== null) {
      const outcome = pick(3) === 0 ? 'fail' : 'capture'
      dataOf(await demo.post(`/api/v1/sandbox/payments/${pending}/${outcome}`))
      pending = null
    } else if (what === 5) {
      const { components } = dataOf(await demo.get(`${ERP}/students/${child}/dues`))
      const open = components.find((one: Json) => one.outstanding_amount > onTheWay(one))
      if (open === undefined) continue
      const amount = Math.round((open.outstanding_amount - onTheWay(open)) * 100) / 100
      const fee_components = [{ component_type: open.component_type, amount }]
      const paid = { amount, paid_at: '2026-11-01', mode: 'cash', fee_components }
      if (dataUnlessRefused(await finance.post(`${STUDENTS}/${child}/payments`, paid)) !== null)
        takenInCash += Math.round(amount * 100)
    }
    assert.deepEqual(await findBroken(text => bursar.sql(text)), [], `after step ${step}`)
    const [sums] = await bursar.sql<{
      fees: string
      charged: string
      captured: string
      back: string
      paid: string
    }>(
      `select
         (select coalesce(sum(fee_paise), 0) from fee_components where student_id = $1 and component_type like 'TRANSPORT%') as fees,
         (select coalesce(sum(fee_after_paise - coalesce(fee_before_paise, 0)), 0) from fee_changes
          where student_id = $1 and source = 'optional') as charged,
         (select coalesce(sum(p.amount_paise), 0) from payments p join orders o on o.institute_id = p.institute_id
            and o.id = p.order_id where o.student_id = $1 and p.state = 'captured' and not p.is_duplicate) as captured,
         (select coalesce(sum(r.amount_paise), 0) from refunds r join orders o on o.institute_id = r.institute_id
            and o.id = r.order_id where o.student_id = $1 and r.kind <> 'duplicate' and r.state <> 'failed') as back,
         (select coalesce(sum(paid_paise), 0) from student_balances where student_id = $1) as paid`,
      [child],
    )
    assert.ok(sums !== undefined)
    assert.equal(Number(sums.fees), Number(sums.charged), `fees after step ${step}`)
    assert.equal(
      Number(sums.paid),
      takenInCash + Number(sums.captured) - Number(sums.back),
      `money after step ${step}`,
    )
    captured = Number(sums.captured)
  }
  assert.ok(captured > 0 && takenInCash > 0, `money came both ways: ${captured} ${takenInCash}`)
})
