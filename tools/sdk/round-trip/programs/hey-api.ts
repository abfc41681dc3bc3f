import { createPayOrder, getPayOrder, sandboxPay } from './client/index'
import { client } from './client/client.gen'

declare const process: { env: Record<string, string> }
declare const console: { log(text: string): void }

client.setConfig({
  baseUrl: process.env['BURSAR_API_URL']!,
  auth: 'key_test_demo:secret_test_demo',
  throwOnError: true,
})
const { data: created } = await createPayOrder<true>({
  body: {
    name: 'Asha Rao',
    phone: '+91 98765 43210',
    email: 'asha@example.in',
    details: [{ component_type: 'TUITION_FEE', amount: 1234567.89 }],
  },
})
const path = { order_id: created.data.order_id }
await sandboxPay<true>({ path, body: { outcome: 'success' } })
const { data: order } = await getPayOrder<true>({ path })
console.log(`${order.data.status} ${order.data.details[0]!.amount}`)
