import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { daysAgo, makeStudent } from '../../../console/money/support.ts'
import { STUDENTS } from '../../../console/students/support.ts'
import { assertAnswer } from '../../../console/support.ts'
import { PHONE, setStage, type Stage } from '../../../harness/browser.ts'
import { ERP } from '../../../harness/samples.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

const WIDE = { width: 1280, height: 800 }

async function register({ bursar }: Stage): Promise<string> {
  const late = {
    component_type: 'TUITION_FEE',
    due_date: daysAgo(40),
    kind: 'per_day',
    amount_per_day: 10,
    max_amount: 900,
  }
  const later = { component_type: 'TRANSPORT_FEE', due_date: daysAgo(-60), kind: 'none' }
  const rules = await bursar.demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [late, later] })
  assert.equal(rules.status, 200, rules.text)
  const fees = [
    { component_type: 'TUITION_FEE', fee_amount: 60_000 },
    { component_type: 'TRANSPORT_FEE', fee_amount: 12_000 },
  ]
  return makeStudent(
    bursar,
    { identifier: 'ADM-1042', fullname: 'Kabir Rao', primary_contact_number: '9876543210' },
    { fee_components: fees },
  )
}

/** Whether two texts of the chart lie on each other. */
function textsThatMeet(page: Page): Promise<string[]> {
  return page.getByRole('figure', { name: /^Due and paid in/ }).evaluate(figure => {
    const texts = [...figure.querySelectorAll('svg.chart text')].map(one => ({
      said: one.textContent,
      at: one.getBoundingClientRect(),
    }))
    return texts.flatMap((one, no) =>
      texts
        .slice(no + 1)
        .filter(
          ({ at }) =>
            at.left < one.at.right &&
            one.at.left < at.right &&
            at.top < one.at.bottom - 2 &&
            one.at.top < at.bottom - 2,
        )
        .map(({ said }) => `${one.said} and ${said}`),
    )
  })
}

test('a student’s page says what is left of a term, what came and went back, and how much each entry is about', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const id = await register(stage)
  const owner = await memberOf(stage, 'owner')
  const { page, go, complaints } = await openConsole(stage, owner)
  const dialogue = page.getByRole('dialog')

  await t.test('the late fee that is asked for is that of the day typed as paid on', async () => {
    await go(`${I}/students/${id}`)
    await page.getByRole('button', { name: 'Record a payment' }).click()
    await dialogue.getByText('₹400.00 asked for').waitFor()
    await dialogue.getByLabel('Paid on').fill(daysAgo(10))
    await dialogue.getByText('₹300.00 asked for').waitFor()
    await dialogue.getByLabel('Paid on').fill(daysAgo(0))
    await dialogue.getByText('₹400.00 asked for').waitFor()
    await dialogue.getByLabel('Tuition fee, rupees').fill('20,000')
    await dialogue.getByLabel('Late fee, rupees').fill('400')
    await dialogue.getByRole('button', { name: 'Record it' }).click()
    await page.getByText('₹20,400.00 is recorded').waitFor()
    await dialogue.getByRole('button', { name: 'Done' }).click()
  })

  await t.test(
    'the year on one line has what is left, today’s payment beside “Today”, and refunds',
    async () => {
      const [paid] = (await owner.get(`${STUDENTS}/${id}/payments`)).body.data.direct
      const back = {
        amount: 5_000,
        way: 'cash',
        reason: 'Half of it by the scholarship',
        details: [{ component_type: 'TUITION_FEE', amount: 5_000 }],
      }
      const path = `${STUDENTS}/${id}/payments/${paid.transaction_id}/refunds`
      assertAnswer(await owner.post(path, back), '201')
      await go(`${I}/students/${id}`)
      const chart = page.getByRole('figure', { name: /^Due and paid in/ })
      for (const said of ['₹45 K left', '₹12 K', '₹20.4 K', '-₹5 K'])
        await chart.getByText(said, { exact: true }).waitFor()
      assert.deepEqual(await textsThatMeet(page), [])
      await chart.getByText('Show as a table').click()
      for (const row of [
        /Overdue, ₹45,000\.00 left ₹60,000\.00/,
        /Due, ₹12,000\.00 left ₹12,000\.00/,
        /Paid: At the school, Cash ₹20,400\.00/,
        /Given back: Cash -₹5,000\.00/,
      ])
        await chart.getByRole('row', { name: row }).waitFor()
      await expectSoundAndKeep(page, 'student-year')
      await page.setViewportSize(PHONE)
      await expectSoundAndKeep(page, 'student-year-phone')
      await page.setViewportSize(WIDE)
    },
  )

  await t.test('a link that was made is there to send by WhatsApp, to copy and to scan', async () => {
    await page.getByRole('button', { name: 'Payment link' }).click()
    await dialogue.getByLabel('Amount in rupees').fill('12,000')
    await dialogue.getByRole('button', { name: 'Create the link' }).click()
    await page.getByRole('dialog', { name: 'The link for ₹12,000.00 is ready' }).waitFor()
    const link = await dialogue.getByLabel('Link').inputValue()
    const chat = await dialogue.getByRole('link', { name: 'Send by WhatsApp' }).getAttribute('href')
    const { host, pathname, searchParams } = new URL(chat ?? '')
    assert.deepEqual([host, pathname], ['wa.me', '/919876543210'])
    assert.equal(searchParams.get('text'), `Demo School: please pay ₹12,000.00 for Kabir Rao here: ${link}`)
    const code = dialogue.getByAltText(`QR code of ${link}`)
    await code.waitFor()
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('img.qr')?.naturalWidth ?? 0) > 0,
    )
    await expectSoundAndKeep(page, 'student-link')
    await page.setViewportSize(PHONE)
    await expectSoundAndKeep(page, 'student-link-phone')
    await page.setViewportSize(WIDE)
    await dialogue.getByRole('button', { name: 'Copy' }).waitFor()
    await dialogue.getByRole('button', { name: 'Done' }).click()
  })

  await t.test('each entry of the story about money says its amount', async () => {
    const merit = { component_type: 'TUITION_FEE', discount_type: 'MERIT', amount: 2_500.5, reason: 'First' }
    assertAnswer(await owner.post(`${STUDENTS}/${id}/concessions`, merit), '200')
    await go(`${I}/students/${id}?tab=story`)
    for (const entry of [
      'Payment recorded: ₹20,400.00',
      'Refund paid out at the counter: ₹5,000.00',
      'Payment link made: ₹12,000.00',
      'Concession changed: ₹2,500.50',
    ])
      await page.getByText(entry, { exact: true }).waitFor()
    await expectSoundAndKeep(page, 'student-story')
  })
  assert.deepEqual(complaints, [])
})
