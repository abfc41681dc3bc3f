import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { API, demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import { newFamily, textOf, visitAs } from './parents-support.ts'

const bursar = await startBursar({ after })

test('the office sees at an order of one child whose fees are paid in the same sum', async () => {
  const students = [{ fullname: 'Kabir Rao' }, { fullname: 'Anaya Rao', grade: '2' }]
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 1000.01 }]
  const { user, students: ids } = await newFamily(bursar.demo, { students, fees })
  const parent = await visitAs(bursar, user)
  const csrf = await parent.csrf('/parents/pay')
  const boxes = ids.map((id): [string, string] => ['fee', `${id}:TUITION_FEE`])
  const seen = await parent.post('/parents/pay', [...boxes, ['act', 'pay'], ['csrf', csrf]])
  assert.equal(seen.status, 303, seen.text)
  const orders = await bursar.sql<{ id: string; name: string }>(
    'select id, student_name as name from orders where student_id = any($1)',
    [ids],
  )
  assert.equal(orders.length, 2)
  const office = await demoVisitor(bursar.url)
  for (const { id } of orders) {
    const { data } = (await office.get(`${API}/institutes/demo-school/orders/${id}`)).body
    const other = orders.find(one => one.id !== id)
    assert.deepEqual(data.paid_together, [{ id: other?.id, student_name: other?.name, amount: 1000.01 }])
  }
})

test('the page for children of two branches is headed by the institute, and each child by its branch', async () => {
  const students = [
    { fullname: 'Kabir Rao', collector_code: 'NORTH' },
    { fullname: 'Anaya Rao', collector_code: 'SOUTH' },
  ]
  const { user, students: ids } = await newFamily(bursar.group, { students })
  const parent = await visitAs({ ...bursar, demo: bursar.group }, user)
  const csrf = await parent.csrf('/parents/pay')
  const boxes = ids.map((id): [string, string] => ['fee', `${id}:TUITION_FEE`])
  const both = await parent.post('/parents/pay', [...boxes, ['act', 'pay'], ['csrf', csrf]])
  const page = textOf((await parent.open(both.location ?? '')).text)
  const [head = '', rest = ''] = page.split('Kabir Rao, Anaya Rao')
  assert.match(head, /Demo Group/)
  assert.doesNotMatch(head, /North|South/i)
  assert.match(rest, /Kabir Rao *North.*Anaya Rao *South/i)
})
