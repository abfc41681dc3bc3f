import { officeTask } from './clicks.ts'

officeTask('look at the students of an empty school', async ({ page, go }) => {
  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByRole('heading', { name: 'Students' }).waitFor()
})
