import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { setStage } from '../../../harness/browser.ts'
import type { Json } from '../../../harness/client.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { expectSoundAndKeep } from '../../support.ts'
import { I, memberOf, openConsole } from '../support.ts'

const NARROW = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 800 }

/** As it is looked at on a desktop and on a phone. */
async function look(page: Page, name: string): Promise<void> {
  await expectSoundAndKeep(page, `console-${name}`)
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, `console-${name}-phone`)
  await page.setViewportSize(WIDE)
}

test('a bus is set up, given to a class, changed and ended for a child, and its deposit given back', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const { demo } = stage.bursar
  const register = async (fullname: string, identifier: string): Promise<string> => {
    const student = sampleStudent({ fullname, identifier })
    const fees = [
      { component_type: 'TUITION_FEE', fee_amount: 60_000 },
      { component_type: 'CAUTION_DEPOSIT', fee_amount: 5_000 },
    ]
    const answer = await demo.post(`${ERP}/users/${identifier}/students`, { student, fee_components: fees })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.data.service_student_id
  }
  const kabir = await register('Kabir Rao', 'ADM-1042')
  await register('Meera Iyer', 'ADM-1043')
  const owner = await memberOf(stage, 'owner')
  const { page, go, complaints } = await openConsole(stage, owner)
  let clicks = 0
  const click = async (name: string | RegExp, within: Pick<Page, 'getByRole'> = page): Promise<void> => {
    clicks++
    await within.getByRole('button', { name }).click()
  }
  const spent = (what: string): void => {
    t.diagnostic(`${what}: ${clicks} clicks`)
    clicks = 0
  }

  await t.test('a route with two stops is a fee by month', async () => {
    await go(`${I}/students/optional-fees`)
    await page.getByText(/^No optional fees for/).waitFor()
    await look(page, 'optional-fees-none')
    clicks++
    await page.getByRole('link', { name: 'Add an optional fee' }).click()
    const form = page.getByRole('form', { name: 'Optional fee' })
    await form.getByLabel('Route', { exact: true }).fill('Route 4')
    await form.getByLabel('Stop').fill('Gandhi Chowk')
    await form.getByLabel('Rupees a month').fill('1,500')
    await form.getByLabel('Places of the route').fill('40')
    await click('Add a stop')
    await form.getByLabel('Stop').nth(1).fill('Station')
    await form.getByLabel('Rupees a month').nth(1).fill('1,800')
    await look(page, 'optional-fee-form')
    await click('Save the optional fee')
    await page.getByRole('heading', { name: /^School bus, / }).waitFor()
    spent('a route with two stops')
  })

  await t.test('two children are added by their admission numbers, after a preview', async () => {
    const form = page.getByRole('form', { name: 'Add children' })
    await form.getByLabel('Who', { exact: true }).selectOption('list')
    await form.getByLabel('Admission numbers').fill('ADM-1042\nadm-1043\nADM-9999')
    await form.getByLabel('From', { exact: true }).fill('2027-01-16')
    await click('Preview')
    await page.getByText('Nobody has: ADM-9999.').waitFor()
    await look(page, 'optional-fee-preview')
    await click('Add: 2 children')
    await page.getByText('Done for 2 children.').waitFor()
    await page.getByRole('cell', { name: 'Meera Iyer' }).waitFor()
    await look(page, 'optional-fee-children')
    spent('two children added')
  })

  await t.test('the stop is changed and the bus ended on the page of a child', async () => {
    await go(`${I}/students/${kabir}`)
    await click('Give or change an optional fee')
    const add = page.getByRole('dialog')
    await add.getByLabel('Option', { exact: true }).selectOption({ label: 'Route 4, Station: ₹1,800.00' })
    await add.getByLabel('From', { exact: true }).fill('2027-02-01')
    await add.getByLabel('Change those who have another option').check()
    await click('Preview', add)
    await add.getByText('Changes').waitFor()
    await look(page, 'optional-fee-change')
    await click('Do it: 1 child', add)
    await add.waitFor({ state: 'hidden' })
    spent('another stop')
    const section = page.getByRole('region', { name: 'Optional fees' })
    await section.getByText('Route 4, Station').waitFor()
    clicks++
    await section.getByRole('button', { name: 'End School bus' }).first().click()
    const end = page.getByRole('dialog')
    await end.getByLabel('The last day').fill('2027-02-28')
    await end.getByLabel('Reason').fill('Walks now')
    await click('Preview', end)
    await click('End it: 1 child', end)
    await end.waitFor({ state: 'hidden' })
    spent('an end in the middle')
    await look(page, 'student-optional-fees')
    const { components } = (await demo.get(`${ERP}/students/${kabir}/dues`)).body.data
    const bus = components.filter(
      (one: Json) => one.component_type.startsWith('TRANSPORT') && one.fee_amount > 0,
    )
    assert.deepEqual(
      bus.map((one: Json) => [one.component_type, one.fee_amount]),
      [
        ['TRANSPORT_FEE_JANUARY', 774],
        ['TRANSPORT_FEE_FEBRUARY', 1_800],
      ],
    )
  })

  await t.test('caution money is marked as a deposit, held once it is paid, and given back', async () => {
    await go(`${I}/students/optional-fees`)
    clicks++
    await page.getByRole('combobox', { name: 'Fees that are deposits' }).click()
    clicks++
    await page.getByRole('option', { name: 'Caution deposit' }).click()
    await page.keyboard.press('Escape')
    await click('Save the deposits')
    await page.getByText('The deposits are saved.').waitFor()
    await look(page, 'optional-fees')
    const paid = { amount: 5_000, paid_at: '2026-11-16', mode: 'cash', transaction_id: 'DEPOSIT-1' }
    const fee_components = [{ component_type: 'CAUTION_DEPOSIT', amount: 5_000 }]
    const at = `/console/api/institutes/demo-school/students/${kabir}/payments`
    assert.equal((await owner.post(at, { ...paid, fee_components })).status, 201)
    await go(`${I}/money?view=deposits`)
    await page.getByRole('cell', { name: '₹5,000.00' }).first().waitFor()
    await look(page, 'deposits-held')
    await go(`${I}/students/${kabir}`)
    await page.getByText('₹5,000.00 of Caution deposit is held and will be given back.').waitFor()
    await click(/^More/)
    clicks++
    await page.getByRole('menuitem', { name: 'Give a deposit back' }).click()
    const dialogue = page.getByRole('dialog')
    await dialogue.getByLabel('Reason').fill('Leaves the school')
    await look(page, 'deposit-return')
    await click('Give it back', dialogue)
    await page.getByText('₹5,000.00 was paid beyond the fees and stands as an advance.').waitFor()
    spent('a deposit marked and given back')
  })

  assert.deepEqual(complaints, [])
})
