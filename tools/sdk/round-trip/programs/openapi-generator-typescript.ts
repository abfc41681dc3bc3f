import { Configuration, PayOrdersApi, SandboxApi } from './client/index'

declare const process: { env: Record<string, string> }
declare const console: { log(text: string): void }

const configuration = new Configuration({
  basePath: process.env['BURSAR_API_URL']!,
  username: 'key_test_demo',
  password: 'secret_test_demo',
})
const orders = new PayOrdersApi(configuration)
const createOrderRequest = {
  name: 'Asha Rao',
  phone: '+91 98765 43210',
  email: 'asha@example.in',
  details: [{ componentType: 'TUITION_FEE', amount: 1234567.89 }],
}
const { data: created } = await orders.createPayOrder({ createOrderRequest })
const { orderId } = created
await new SandboxApi(configuration).sandboxPay({ orderId, sandboxPayRequest: { outcome: 'success' } })
const { data: order } = await orders.getPayOrder({ orderId })
console.log(`${order.status} ${order.details[0]!.amount}`)
