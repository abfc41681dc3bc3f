import assert from 'node:assert/strict'
import { finishImport } from '../../src/imports/engine/steps.service.ts'
import { expectSoundAndKeep } from '../browser/support.ts'
import { CHILDREN, children, CLASSES, clerkCsv, clerkXlsx, FAULTS } from '../imports/clerk-support.ts'
import { memberOf } from '../browser/console/support.ts'
import { SCHOOL } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { instituteId } from '../students/support.ts'
import { officeTask, type Office } from './clicks.ts'

const NARROW = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 800 }

/** The classes of the year, which the list has to be fitted to. */
async function setFees({ stage }: Office): Promise<void> {
  const amounts = CLASSES.map(grade => ({ grade, component_type: 'TUITION', term: 1, amount: 24_000 }))
  const owner = await memberOf(stage, 'owner')
  const structure = {
    terms: [{ name: 'Year', due_date: '2026-06-10' }],
    fee_heads: ['TUITION'],
    grades: CLASSES,
    amounts,
    concessions: [],
  }
  assertAnswer(await owner.send('PUT', `${SCHOOL}/fee-structures/2026/2027`, structure), '200')
}

async function importList(
  office: Office,
  file: { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  const { page, go, stage, complaints } = office
  const key = async () => ({
    instituteId: await instituteId(stage.bursar),
    id: page.url().split('/').at(-1) ?? '',
  })
  const work = async (): Promise<void> => {
    await page.getByRole('status').getByText('You can leave this page').waitFor()
    await finishImport(stage.bursar.app.ctx, await key())
  }
  const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).first().click()
  const group = (text: string | RegExp) => page.locator('.problem-group').filter({ hasText: text })
  const fill = async (text: string | RegExp, value: (at: number) => string, count: number): Promise<void> => {
    await group(text).getByRole('button', { name: 'Show the rows' }).click()
    const fields = group(text).getByRole('textbox')
    await fields.nth(count - 1).waitFor()
    for (let at = 0; at < count; at++) await fields.nth(at).fill(value(at))
  }

  await setFees(office)
  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByRole('link', { name: 'Import' }).click()
  await page.getByLabel('File of students').setInputFiles(file)
  await page.getByLabel('What Adm. No. is').waitFor()
  await expectSoundAndKeep(page, `clerk-columns-${file.name}`)
  await press('Check the file')
  await page.waitForURL(/\/students\/import\/imp_/)
  await work()
  await page.getByRole('region', { name: 'Rows to correct' }).waitFor({ timeout: 30_000 })
  await expectSoundAndKeep(page, `clerk-checked-${file.name}`)
  await page.setViewportSize(NARROW)
  await expectSoundAndKeep(page, `clerk-checked-phone-${file.name}`)
  await page.setViewportSize(WIDE)

  const hasPrep = (await group('“Prep”').count()) > 0
  if (hasPrep) await group('“Prep”').getByRole('combobox').selectOption('LKG')
  await group('will bring')
    .getByRole('button', { name: /^Leave it empty in all 7/ })
    .click()
  await group('31/02/2015')
    .getByRole('button', { name: /^Leave it empty in all 3/ })
    .click()
  await fill('for example “98450”', at => `98450 2000${at}`, FAULTS.shortPhone)
  await fill(/Mobile of the family is required/, at => `98450 3000${at}`, FAULTS.noPhone)
  await fill(/Admission no\. is required/, at => `SVM/NEW-${at}`, FAULTS.noNumber)
  await fill('for example “half”', () => '12,000', FAULTS.noAmount)
  await fill(/stands in row \d+ already, of/, at => `SVM/NEXT-${at}`, FAULTS.numberTwice)
  await expectSoundAndKeep(page, `clerk-mended-${file.name}`)
  await press(/^Check again with \d+ corrections/)
  await work()
  await page.getByText('6 rows are left out unless you correct them below').waitFor({ timeout: 30_000 })
  await expectSoundAndKeep(page, `clerk-left-${file.name}`)
  await press(`Register ${CHILDREN} students`)
  await work()
  await page
    .getByText(`${CHILDREN} students are registered or brought up to date`)
    .waitFor({ timeout: 60_000 })
  await expectRegistered(office, hasPrep)
  assert.deepEqual(complaints, [])
}

type Registered = {
  identifier: string
  fullname: string
  grade: string
  section: string
  born: string | null
}

/** Every child of the list stands in its class and section, born on its day, under its own name. */
async function expectRegistered({ stage }: Office, hasPrep: boolean): Promise<void> {
  const rows = await stage.bursar.sql<Registered>(
    `select identifier, fullname, grade, coalesce(section, '') as section, date_of_birth::text as born from students`,
  )
  assert.equal(rows.length, CHILDREN)
  const known = new Map(rows.map(row => [row.identifier, row]))
  const [noDays, wrongClass] = [new Set<number>(), new Set<number>()]
  for (let at = 0; at < FAULTS.noDay; at++) noDays.add(60 + at)
  for (let at = 0; at < FAULTS.impossible; at++) noDays.add(100 + at)
  if (hasPrep) for (let at = 0; at < FAULTS.noClass; at++) wrongClass.add(3 + at)
  for (const [index, child] of children.entries()) {
    const row = known.get(child.identifier)
    if (row === undefined) continue
    const section = wrongClass.has(index) ? '' : child.section
    const born = noDays.has(index) ? null : child.born
    assert.deepEqual(row, {
      identifier: child.identifier,
      fullname: child.name,
      grade: child.grade,
      section,
      born,
    })
  }
  const renamed = FAULTS.noNumber + FAULTS.numberTwice
  assert.equal(children.filter(child => known.has(child.identifier)).length, CHILDREN - renamed)
  const owed = await stage.bursar.sql<{ owed: string }>(
    `select sum(fee_paise)::text as owed from fee_components where component_type in ('TUITION', 'TUITION_FEE')`,
  )
  assert.equal(
    owed[0]?.owed,
    String(((CHILDREN - FAULTS.noAmount) * 24_000 + FAULTS.noAmount * 12_000) * 100),
  )
}

officeTask('A clerk’s messy list of 480 children, as CSV', office =>
  importList(office, { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(clerkCsv()) }),
)

officeTask('The same as a spreadsheet, each class below a merged line', async office =>
  importList(office, {
    name: 'list.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: await clerkXlsx(),
  }),
)
