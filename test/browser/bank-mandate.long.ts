import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StartedAtProvider } from '../../src/providers/port.ts'
import { newId } from '../../src/platform/ids.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { PHONE, setStage } from '../harness/browser.ts'
import { expectSoundAndKeep, expectWords, press } from './support.ts'

test('a payer approves a mandate of either rail on a phone, and sees how it stands', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const ctx = stage.bursar.app.ctx
  Object.assign(ctx, { onMandate: async () => {} })
  const page = await stage.browser.newPage()
  await page.setViewportSize(PHONE)
  for (const rail of ['enach', 'upi_autopay'] as const) {
    const started: StartedAtProvider | undefined = await ctx.accounts.installation
      .get('sandbox')
      ?.mandates?.register({
        instituteId: 1,
        mandateId: newId('mdt'),
        rail,
        capPaise: paiseOf(12_345_00),
        startOn: '2026-11-05',
        endOn: '2027-09-05',
        payer: { name: 'Asha Rao', phone: '9876543210', email: 'asha@example.in' },
        description: 'Fees of Kabir Rao in ten instalments',
        returnUrl: `${stage.bursar.url}/docs`,
      })
    assert.ok(started)
    await page.goto(started.redirectUrl)
    await expectWords(page, /Demo School asks .* up to\s+₹12,345/, /5 November 2026/, /5 September 2027/)
    await expectSoundAndKeep(page, `bank-mandate-${rail}`)
    if (rail === 'enach') await page.getByRole('radio', { name: 'Aadhaar' }).check()
    await press(page, 'Approve')
    await page.waitForURL(/\/docs/)
    await page.goto(started.redirectUrl)
    await expectWords(page, rail === 'enach' ? /UMRN\s+SBXB/ : /active/)
    await expectSoundAndKeep(page, `bank-mandate-${rail}-approved`)
  }
})
