import { outputOf } from '../../http/wire/output.ts'
import { PRODUCTS } from './entry.rules.ts'
import type { AccessToken, Entry } from './entry.service.ts'
import type { StudentProduct } from './products.service.ts'

/** What hosted entry answers with. */
const TOKEN = 'demo-school.Zk3v0cX9mJq1uT5yB7nR2eWsLhPdGfA8oKi4CxVtQwE'

const token = outputOf<AccessToken>()
const expiring = {
  expires_at: token.moment('Until when it can be used: 15 minutes from now.', '2026-11-15T04:47:10.000Z'),
}

export const accessTokenOutput = token.object('AccessToken', {
  access_token: token.text(
    'Opens one hosted session at /login-redirect, once.',
    TOKEN,
    source => source.token,
  ),
  ...expiring,
})

const entry = outputOf<Entry>()
export const entryOutput = entry.object('HostedEntry', {
  redirect_url: entry.text(
    "Send the parent's browser there, now.",
    `https://pay.example.in/login-redirect?access_token=${TOKEN}`,
  ),
  ...expiring,
})

const product = outputOf<StudentProduct>()
export const productOutput = product.object('Product', {
  product_type: product.oneOf(PRODUCTS, 'Which product.', source => source.product),
  id: product.text('Of the order, plan or application.', 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'),
  status: product.text(
    'pay: `unpaid`, `paid` or `closed`; flex: as in the plan; cred: as in the application.',
    'active',
  ),
  amount: product.optional.amount('Rupees in all; absent while it is not known.', 60000),
  paid_amount: product.optional.amount(
    'Rupees paid so far; not for cred.',
    12000,
    source => source.paidPaise,
  ),
  created_at: product.moment('When it was made.', '2026-06-01T05:12:44.000Z'),
})
