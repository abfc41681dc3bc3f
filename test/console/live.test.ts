import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUser } from '../../src/console/auth/users.service.ts'
import { describeStart } from '../../src/app/banner.ts'
import { createKey } from '../../src/institutes/keys.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { Client } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { API, assertAnswer, PASSWORD, tokenOf, Visitor } from './support.ts'

/** Behind a proxy that ends TLS, on the database of a sandbox: nothing of the sandbox's opens a door here. */
const bursar = await startBursar(
  { after },
  {
    BURSAR_MODE: 'live',
    PUBLIC_URL: 'https://fees.school.example',
    TRUST_PROXY: '127.0.0.1',
    RAZORPAY_API_URL: 'http://127.0.0.1:4010',
  },
)
const HTTPS = { 'x-forwarded-proto': 'https' }

class LiveVisitor extends Visitor {
  override send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return super.send(method, path, body, { ...HTTPS, ...headers })
  }
}

test('in live mode no demo person is shown, signed in, or counted as an operator', async () => {
  const visitor = new LiveVisitor(bursar.url)
  const { body } = await visitor.greet()
  assert.deepEqual([body.data.mode, body.data.demo_people], ['live', []])
  assertAnswer(
    await visitor.post(`${API}/session/demo`, { email: 'operator@bursar.example' }),
    '404 HUE00001',
  )
  assert.match(describeStart(bursar.app, false), /npx bursar users create .* --operator/)
  assert.doesNotMatch(describeStart(bursar.app, true), /users create/)
})

test('in live mode the cookie is Secure and bound to the host, and plain http is refused', async () => {
  const { link } = await createUser(bursar.app.ctx, {
    email: 'asha@school.example',
    name: 'Asha Rao',
    isOperator: true,
    member: null,
  })
  const visitor = new LiveVisitor(bursar.url)
  const body = { token: tokenOf(link ?? ''), password: PASSWORD }
  const answer = await visitor.post(`${API}/invitations/accept`, body, {
    origin: 'https://fees.school.example',
  })
  assertAnswer(answer, '200')
  const [session = '', device = ''] = answer.headers.getSetCookie()
  assert.match(session, /^__Host-bursar_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  assert.match(
    device,
    /^__Host-bursar_device=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  assertAnswer(await visitor.get(`${API}/account`), '200')
  assertAnswer(await visitor.get(`${API}/account`, { 'x-forwarded-proto': 'http' }), '400 HUE00000')
})

test('in live mode a payer returns by https, to an address without credentials', async () => {
  const scopes = ['read', 'orders'] as const
  const { keyId, secret } = await createKey(bursar.app.ctx, 'demo-school', { label: 'erp', scopes })
  const erp = new Client(bursar.url, { key: keyId, secret })
  const page = { title: 'Fair', details: [{ component_type: 'FAIR', amount: 100 }] }
  for (const callback_url of ['http://erp.example.in/done', 'https://me:secret@erp.example.in/done']) {
    for (const answer of [
      await erp.post(`${PAY}/orders`, sampleOrder({ callback_url }), HTTPS),
      await erp.post(`${PAY}/payment_links`, sampleOrder({ callback_url }), HTTPS),
      await erp.post('/api/v1/integrations/pay/pages', { ...page, callback_url }, HTTPS),
      await erp.post(`${PAY}/students/student_x/orders`, { callback_url }, HTTPS),
    ]) {
      assertAnswer(answer, '400 HUE00000')
      assert.equal(answer.body.errors[0].key, 'callback_url')
    }
  }
  const fine = sampleOrder({ callback_url: 'https://erp.example.in/done?from=bursar' })
  assertAnswer(await erp.post(`${PAY}/orders`, fine, HTTPS), '201')
})

test('the payer’s form may lead to a provider’s pages where they really are, and to no other plain address', async () => {
  const { headers } = await fetch(`${bursar.url}/pay/nobody/order_none`, { headers: HTTPS })
  const [, targets] = /form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '') ?? []
  assert.equal(targets, "'self' https: http://127.0.0.1:4010")
})
