import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPerson, PASSWORD } from '../console/support.ts'
import { DESKTOP, isTooWide, keep, openBrowser } from '../harness/browser.ts'
import { startCells } from './support.ts'

const EMAIL = 'op@example.in'
const PHONE = { width: 390, height: 844 }

test('the operator sees every cell, why one is away, and what to type for a move that has stopped', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const { north } = await startCells(t)
  const { ctx } = north.app
  await createPerson(north, { email: EMAIL, operator: true })
  const away = ctx.vault.seal('postgres://bursar@127.0.0.1:1/nothing', 'database of the cell south')
  await north.sql('update cells set database_url_sealed = $1 where name = $2', [away, 'south'])
  await north.sql(
    `insert into school_moves (id, school_id, code, from_cell, to_cell, step, is_step_done, problem)
     values ('move_1', 1, 'demo-school', 'north', 'south', 'catch_up', false, 'The rows cannot be copied')`,
  )
  for (const viewport of [DESKTOP, PHONE]) {
    const page = await browser.newPage({ viewport })
    await page.goto(`${north.url}/console/operator/health`)
    await page.getByLabel('E-mail address').fill(EMAIL)
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const cells = page.getByRole('region', { name: 'Cells' }).first()
    await cells.getByText('ECONNREFUSED').waitFor()
    const rows = await cells.getByRole('row').allInnerTexts()
    assert.match(rows[1] ?? '', /^north\s+Open\s+\d/)
    assert.match(rows[2] ?? '', /^south\s+Away\s+connect ECONNREFUSED/)
    await cells.getByText('bursar cells move demo-school --to south --back').waitFor()
    await cells.scrollIntoViewIfNeeded()
    await keep(page, `cells-${viewport.width}`)
    assert.equal(await isTooWide(page), false)
    await page.close()
  }
})
