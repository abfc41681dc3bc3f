import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { getInstitute, readCallbackKey } from '../../../src/institutes/institutes.service.ts'
import { PHONE, setParentStage } from '../../harness/browser.ts'
import { PAY } from '../../harness/samples.ts'
import { createLink, expectWords, goToBank, press } from '../support.ts'

const EVIL = '<img src=x onerror="document.title=1"><script>document.title=2</script>"\'>{{7*7}}<%= 7 %>'

test('the way back and the words of others are safe', { concurrency: true }, async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, browser, part, ended } = stage

  part('a paid order returns to callback_url, signed, and to nowhere else', async t => {
    const erp = await startErp(t)
    const page = await browser.newPage({ viewport: PHONE })
    const link = await createLink(bursar, { callback_url: `${erp.url}/done?student=42&status=old#fees` })
    await goToBank(page, link)
    await press(page, 'Approve')
    await page.waitForURL(`${erp.url}/**`)
    const [asked] = erp.asked
    const query = new URL(asked?.path ?? '', erp.url).searchParams
    const institute = await getInstitute(bursar.app.ctx, 'demo-school')
    const key = await readCallbackKey(bursar.app.ctx, institute)
    assert.deepEqual(Object.fromEntries(query), {
      student: '42',
      status: 'paid',
      order_id: link.id,
      signature: createHmac('sha256', key).update(`${link.id}|paid`).digest('hex'),
    })
    assert.deepEqual(query.getAll('status'), ['paid'])
    assert.equal(asked?.headers.referer, undefined)
    await page.goto(link.url)
    const back = page.getByRole('link', { name: 'Back to Demo School' })
    assert.equal(await back.getAttribute('href'), `${erp.url}${asked?.path}#fees`)
    await page.close()
  })

  part('nothing in a request changes where it leads', async () => {
    const callbackUrl = 'https://erp.example.in/back'
    const headers = {
      host: '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      referer: 'https://evil.example/',
      origin: 'https://evil.example',
    }
    const query = '?callback_url=https://evil.example&return_url=//evil.example&next=//evil.example&url=evil'
    const form = 'mode=upi&callback_url=https%3A%2F%2Fevil.example&returnUrl=https%3A%2F%2Fevil.example'
    const link = await createLink(bursar, { callback_url: callbackUrl })
    const path = new URL(link.url).pathname
    const ask = (method: string, where: string) => locationOf(bursar.url, method, where, { headers, form })
    assert.equal(await ask('GET', `${path}/return${query}`), path)
    assert.equal(await ask('GET', `${path}/start${query}`), path)
    const bank = await ask('POST', `${path}/start${query}`)
    assert.ok(bank.startsWith(`${bursar.url}/sandbox/bank/`), bank)
    const back = await ask('POST', `${new URL(bank).pathname}${query}`)
    assert.equal(back, `${bursar.url}${path}/return`)
    assert.match(await ask('GET', `${path}/return${query}`), /^https:\/\/erp\.example\.in\/back\?order_id=/)
    assert.equal(await ask('POST', `${path}/start${query}`), path)
  })

  part('what a payer, an ERP, a provider or an address says stays text', async () => {
    const page = await browser.newPage({ viewport: PHONE })
    const problems: string[] = []
    page.on('dialog', dialog => problems.push(dialog.message()))
    page.on('request', request => {
      if (!request.url().startsWith(bursar.url)) problems.push(request.url())
    })
    await bursar.sql('update institutes set name = $1 where code = $2', [EVIL, 'demo-group'])
    await bursar.sql('update branches set name = $1 where collector_code = $2', [EVIL, 'NORTH'])
    const { body, text } = await bursar.group.post(`${PAY}/payment_links`, {
      name: EVIL,
      phone: '9876543210',
      email: '<img/src=x/onerror=document.title=3>@example.in',
      identifier: EVIL,
      student_name: EVIL,
      grade: EVIL.slice(0, 60),
      stream: EVIL,
      custom_identifier: EVIL,
      notes: [{ key: EVIL, value: EVIL }],
      callback_url: `https://erp.example.in/"><script>document.title=4</script>?a="onclick="document.title=5`,
      collector_code: 'NORTH',
      details: [{ component_type: EVIL.slice(0, 64), amount: 1 }],
    })
    assert.equal(body?.status, 'success', text)
    const link = { id: body.data.order_id, url: body.data.redirect_url }
    const expectText = async (): Promise<void> => {
      assert.doesNotMatch(await page.title(), /^\d$/)
      assert.equal(await page.locator('script, [onerror], [onclick], main img:not(.qr)').count(), 0)
    }
    await page.goto(`${link.url}?lang=${encodeURIComponent(EVIL)}&still=${encodeURIComponent(EVIL)}`)
    await expectText()
    const whole = await page.locator('main').innerText()
    assert.equal(
      whole.split(EVIL).length - 1,
      4,
      'institute, branch, student and admission number as written',
    )
    await goToBank(page, link)
    await page.goto(`${page.url()}?mode=${encodeURIComponent(EVIL)}`)
    await expectText()
    await press(page, 'Decline')
    await page.waitForURL(link.url)
    await bursar.sql('update payments set failure_code = $1, failure_message = $1 where order_id = $2', [
      EVIL,
      link.id,
    ])
    await page.goto(link.url)
    await expectWords(page, /onerror="document\.title=1"/)
    await expectText()
    await page.goto(`${bursar.url}/pay/demo-school/${encodeURIComponent(EVIL)}`)
    await expectText()
    assert.deepEqual(problems, [])
    await page.close()
  })

  part('the bank knows its buttons and nothing that only looks like one', async () => {
    const link = await createLink(bursar)
    const start = await fetch(`${link.url}/start`, { method: 'POST', redirect: 'manual' })
    const bank = start.headers.get('location') ?? ''
    for (const form of [
      'outcome=constructor',
      'outcome=__proto__',
      'outcome=success&bank=toString',
      'outcome=',
    ]) {
      const answer = await fetch(bank, { method: 'POST', body: form, redirect: 'manual' })
      assert.equal(answer.status, 404, form)
    }
    const answer = await fetch(bank, {
      method: 'POST',
      body: 'outcome=success&mode=card',
      redirect: 'manual',
    })
    assert.equal(answer.status, 303)
    const policy = (await fetch(link.url)).headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*|script-src (?!'sha256-[\w+/=]+';)/)
  })

  await ended()
})

type ErpRequest = { path: string; headers: IncomingHttpHeaders }

/** An institute's own page, on another origin. */
async function startErp(t: TestContext): Promise<{ url: string; asked: ErpRequest[] }> {
  const asked: ErpRequest[] = []
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/done') === true) asked.push({ path: request.url, headers: request.headers })
    response.setHeader('content-type', 'text/html').end('<title>ERP</title>Thank you')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Asks with headers that fetch would not let through; answers where it is sent. */
async function locationOf(
  base: string,
  method: string,
  path: string,
  { headers, form }: { headers: Record<string, string>; form: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = httpRequest(`${base}${path}`, { method, headers }, response => {
      response.resume()
      resolve(response.headers.location ?? `no location, ${response.statusCode}`)
    })
    asking.on('error', reject).end(method === 'POST' ? form : undefined)
  })
}
