import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeViolations, DESKTOP, isTooWide, keep, PHONE, setParentStage } from '../../harness/browser.ts'
import type { TestBursar } from '../../harness/bursar.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { sandboxNow } from '../../harness/sandbox-now.ts'

const ORDER = sampleOrder({
  student_name: 'Kabir Rao',
  details: [
    { component_type: 'TUITION_FEE', amount: 116955.5 },
    { component_type: 'TRANSPORT_FEE', amount: 6501 },
  ],
})

async function createLink(
  bursar: TestBursar,
  changes: Record<string, unknown> = {},
): Promise<{ id: string; url: string }> {
  const { body } = await bursar.demo.post(`${PAY}/payment_links`, { ...ORDER, ...changes })
  return { id: body.data.order_id, url: body.data.redirect_url }
}

test('the order page', { concurrency: true }, async t => {
  const stage = await setParentStage(t)
  if (stage === null) return
  const { bursar, browser, part, ended } = stage

  part(
    'redirect_url shows who asks, for whom, how much and for what, on a phone and on a desktop',
    async () => {
      const { url } = await createLink(bursar)
      for (const [name, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
        const page = await browser.newPage({ viewport })
        const asked: string[] = []
        page.on('request', request => asked.push(new URL(request.url()).origin))
        await page.goto(url)
        const text = await page.locator('main').innerText()
        for (const words of [
          'Demo School',
          'Kabir Rao',
          '₹1,23,456.50',
          'Tuition fee',
          '₹1,16,955.50',
          'To pay',
        ]) {
          assert.ok(text.includes(words), `${name}: ${words} is missing in ${text}`)
        }
        assert.equal(await isTooWide(page), false, `${name}: the page scrolls sideways`)
        assert.deepEqual(await axeViolations(page), [])
        assert.deepEqual(new Set(asked), new Set([bursar.url]), 'another host was asked')
        await keep(page, `order-${name}`)
        await page.close()
      }
    },
  )

  part('an expired, a cancelled, a closed and a paid one each say so, and whether money moved', async () => {
    const expired = await createLink(bursar, { expires_at: new Date(sandboxNow() + 60_000).toISOString() })
    const cancelled = await createLink(bursar)
    await bursar.demo.delete(`${PAY}/payment_links/${cancelled.id}`)
    const closed = await bursar.demo.post(`${PAY}/orders`, ORDER)
    await bursar.demo.delete(`${PAY}/orders/${closed.body.data.order_id}`)
    const paid = await createLink(bursar)
    await bursar.demo.post(`/api/v1/sandbox/pay/orders/${paid.id}/pay`, { outcome: 'success' })
    await bursar.demo.post('/api/v1/sandbox/clock', { advance: 'PT2M' })
    const page = await browser.newPage({ viewport: PHONE })
    const cases: [string, string, RegExp][] = [
      ['expired', expired.url, /Expired[\s\S]*No money has been taken/],
      ['cancelled', cancelled.url, /Cancelled[\s\S]*No money has been taken/],
      ['closed', closed.body.data.redirect_url, /Closed[\s\S]*No money has been taken/],
      ['paid', paid.url, /Paid[\s\S]*Paid on \d+ \w+ \d{4}/],
    ]
    for (const [name, url, says] of cases) {
      await page.goto(url)
      assert.match(await page.locator('main').innerText(), says)
      assert.deepEqual(await axeViolations(page), [])
      if (name !== 'paid') await keep(page, `order-${name}`)
    }
  })

  part('a wrong link is a page that helps, whatever is wrong with it', async () => {
    const { id } = await createLink(bursar)
    const page = await browser.newPage({ viewport: PHONE })
    for (const path of [
      'demo-school/order_unknown',
      `demo-group/${id}`,
      `nobody/${id}`,
      'demo-school/%3Cscript%3E',
      `demo-school/${'x'.repeat(300)}`,
    ]) {
      const response = await page.goto(`${bursar.url}/pay/${path}`)
      assert.equal(response?.status(), 404, path)
      assert.match(
        await page.locator('main').innerText(),
        /do not know this link[\s\S]*No money has been taken/,
      )
    }
    assert.deepEqual(await axeViolations(page), [])
    await keep(page, 'order-wrong-link')
  })

  part('what a payer or ERP wrote cannot become markup, and the policy would stop it anyway', async () => {
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    const { url } = await createLink(bursar, {
      student_name: evil,
      details: [{ component_type: evil.slice(0, 64), amount: 1 }],
    })
    const page = await browser.newPage()
    const response = await page.goto(url)
    assert.equal(await page.title(), 'Fees, Demo School')
    assert.equal(await page.locator('main img, main script').count(), 0)
    const policy = response?.headers()['content-security-policy'] ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
  })

  await ended()
})
