import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { demoVisitor } from '../../console/support.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { createPage, PAGES, pay, submit } from '../support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar

test('what was bought, with the page’s title and how many, stays as it was ordered: checkout, console and Tally', async () => {
  const details = [
    { component_type: 'TICKET', label: 'Ticket', amount: 250, max_quantity: 5 },
    { component_type: 'LUNCH', amount: 80, is_optional: true },
  ]
  const { id, url } = await createPage(demo, { title: 'Annual Day', details })
  const orderId = await submit(url, { 'line.TICKET': '3', 'line.LUNCH': '1' })
  await pay(demo, orderId)
  const renamed = { title: 'Sports Day', details: [{ ...details[0], label: 'Seat' }, details[1]] }
  assert.equal((await demo.send('PATCH', `${PAGES}/${id}`, renamed)).status, 200)
  const owner = await demoVisitor(bursar.url)
  const at = '/console/api/institutes/demo-school'
  const shown = (await owner.get(`${at}/orders/${orderId}`)).body.data
  const names = ['Annual Day: Ticket × 3', 'Annual Day: Lunch']
  assert.deepEqual(
    shown.details.map((line: Json) => line.label),
    names,
  )
  const tally = (await owner.get(`${at}/money/payments/export?format=tally`)).text
  assert.ok(tally.includes(`${names.join(', ')}, online`), tally)
  const { data } = (await owner.get(`${at}/money/payments`)).body
  assert.deepEqual(
    data.find((row: Json) => row.order_id === orderId).components.map((line: Json) => line.label),
    names,
  )
  assert.match(await (await fetch(`${bursar.url}/pay/demo-school/${orderId}`)).text(), /Ticket × 3/)
})
