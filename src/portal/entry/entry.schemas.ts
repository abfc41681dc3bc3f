import { field, ifSent, input, optional, query } from '../../http/wire/input.ts'
import { SCHOOL_YEAR } from '../../students/student.input.ts'
import { PRODUCTS } from './entry.rules.ts'
import { outputOf } from '../../http/wire/output.ts'
import type { AccessToken, Entry } from './entry.service.ts'
import type { StudentProduct } from './products.service.ts'

/** What hosted entry takes. */
const productField = field.oneOf(PRODUCTS, 'What to open: paying, instalments or a loan.').as('product')

const named = input(
  {
    identifier: field.identifier('Student identifier.', 'ADM-1042'),
    collector_code: ifSent(field.code('Branch code; chooses whose fetch-student endpoint is asked.', 'MAIN')),
    grade: ifSent(field.code('Grade code.', '5')),
    custom_identifier: ifSent(field.identifier('A second identifier of your own.', 'ROLL-17')),
    academic_year_start: ifSent(field.year('Start year.', 2026)),
    academic_year_end: ifSent(field.year('End year.', 2027)),
  },
  SCHOOL_YEAR,
)

const options = input({
  callback_url: optional(
    field.url('The pages offer a link back there; https in live mode.', 'https://erp.example.in/parent/home'),
  ),
  product_type: optional(productField),
})

export const entryInput = input({
  student: field.object('Whom your fetch-student endpoint is asked for.', named).as('named'),
  options: optional(field.object('Where to lead the parent.', options), {
    callbackUrl: null,
    product: null,
  }),
})

export const productsQuery = query({ product_type: optional(productField) })

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

const productOut = outputOf<StudentProduct>()
export const productOutput = productOut.object('Product', {
  product_type: productOut.oneOf(PRODUCTS, 'Which productOut.', source => source.product),
  id: productOut.text('Of the order, plan or application.', 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'),
  status: productOut.text(
    'pay: `unpaid`, `paid` or `closed`; flex: as in the plan; cred: as in the application.',
    'active',
  ),
  amount: productOut.optional.amount('Rupees in all; absent while it is not known.', 60000),
  paid_amount: productOut.optional.amount(
    'Rupees paid so far; not for cred.',
    12000,
    source => source.paidPaise,
  ),
  created_at: productOut.moment('When it was made.', '2026-06-01T05:12:44.000Z'),
})
