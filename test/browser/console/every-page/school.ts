import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createUser } from '../../../../src/console/auth/users.service.ts'
import { addLender, chooseLender } from '../../../../src/loans/lenders/lenders.service.ts'
import { getInstitute } from '../../../../src/institutes/institutes.service.ts'
import { paiseOf } from '../../../../src/platform/money.ts'
import { must, openFlexSchool } from '../../../console/flex/support.ts'
import { setMoney } from '../../../console/money/support.ts'
import { linksFile, uploadFile } from '../../../console/orders/support.ts'
import { makeOptionalFee } from '../../../console/students/optional-fee.ts'
import { SCHOOL, STUDENTS } from '../../../console/students/support.ts'
import { createPerson, tokenOf, type Visitor } from '../../../console/support.ts'
import type { TestBursar } from '../../../harness/bursar.ts'
import type { Answer, Json } from '../../../harness/client.ts'
import { ERP, sampleStudent } from '../../../harness/samples.ts'
import { createPage } from '../../../payment-pages/support.ts'
import { subscribe } from '../../../webhooks/support.ts'
import { I } from '../support.ts'

const SOURCE = readFileSync(new URL('../../../../web/src/routes.tsx', import.meta.url), 'utf8')

/** Every page of the console, from the routes themselves, so that a new one is walked to. */
const ROUTES = [...SOURCE.matchAll(/\b(openPage|page|institutePage)\(\s*'([^']+)'/g)].map(
  ([, kind, path = '']) => (kind === 'institutePage' ? `${I}${path === '/' ? '' : path}` : path),
)

/** About half of them; each half is walked by a test of its own, as one would take too long. */
export const OF_THE_BACK_OFFICE = /\/(money|flex|loans|developers|settings|approvals|reminders)\b/

/** Ids by what the routes call them, or by the whole route where two call theirs the same. */
type PageIds = Readonly<Record<string, string>>

export function addressesOf(made: PageIds): string[] {
  return ROUTES.map(path =>
    path.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const id = made[path.slice(I.length)] ?? made[name]
      assert.ok(id !== undefined, `${path}: make a ${name}`)
      return id
    }),
  )
}

const LONG = { fullname: 'Venkatanarasimha Raju Chintalapati', primary_contact_name: 'Lakshmi Chintalapati' }

type School = {
  bursar: TestBursar
  /** Runs the school and the installation. */
  owner: Visitor
  /** Works for the lender. */
  officer: Visitor
  made: PageIds
}

/** A school with something in every list and on every page; names are as long as people have them. */
export async function makeSchool(t: { after(done: () => Promise<void> | void): void }): Promise<School> {
  const flex = await openFlexSchool(t)
  const { bursar, plans, day } = flex
  const { settled } = await setMoney(bursar)
  const of = { institute: 'demo-school' } as const
  const owner = await createPerson(bursar, { ...of, email: 'owner@school.example', operator: true })
  const finance = await createPerson(bursar, { ...of, email: 'second@school.example', role: 'finance' })
  const student = await makeStudent(bursar, owner)
  const desk = await makeDesk(bursar, student)
  const fee = await giveBus(owner, student)
  const runs = { rollover: await makeRollover(owner), run: await remind(owner, student) }
  const limit = { above: 100, reason: 'Decided by the management' }
  await must(owner.send('PUT', `${SCHOOL}/approval-limit`, limit))
  const merit = { component_type: 'TUITION_FEE', discount_type: 'MERIT', amount: 5_000, reason: 'Merit' }
  await must(finance.post(`${STUDENTS}/${student}/concessions`, merit))
  await subscribe(bursar.demo, 'http://127.0.0.1:9/a-long-address-of-the-erp/hooks/bursar')
  const { id: page } = await createPage(bursar.demo, { title: 'Annual sports and science fair' })
  const [settlement] = await data(owner.get(`${SCHOOL}/money/settlements`))
  const made = {
    student,
    order: settled.orderId,
    page,
    plan: plans.Asha,
    day,
    fee,
    settlement: settlement.id,
    lender: 'sahakari',
    application: desk.application,
    loan: desk.application,
    token: desk.token,
    ...(await makeFiles(owner)),
    ...runs,
  }
  return { bursar, owner, officer: desk.officer, made }
}

async function data(answering: Promise<Answer>): Promise<Json> {
  return (await must(answering)).body.data
}

/** With money that came in cash and by cheque, and a cheque for later. */
async function makeStudent({ demo }: TestBursar, owner: Visitor): Promise<string> {
  const { service_student_id: student } = await data(
    demo.post(`${ERP}/users/long/students`, {
      student: sampleStudent({
        ...LONG,
        identifier: 'ADM/2026/00001042',
        section: 'B',
        primary_contact_email: 'lakshmi.chintalapati@example-family.in',
      }),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1_25_000.5 }],
    }),
  )
  const line = { fee_components: [{ component_type: 'TUITION_FEE', amount: 12_500.5 }], amount: 12_500.5 }
  const { now } = await data(demo.get('/api/v1/sandbox/clock'))
  const instrument = { number: '004512', bank: 'State Bank of India', date: now.slice(0, 10) }
  for (const way of [{ mode: 'cash' }, { mode: 'cheque', instrument }])
    await must(owner.post(`${STUDENTS}/${student}/payments`, { ...line, ...way, paid_at: now }))
  const cheque = { number: '004600', bank: 'State Bank of India', date: '2027-12-10', amount: 20_000 }
  const registered = { service_student_id: student, cheques: [cheque] }
  await must(owner.post(`${SCHOOL}/counter/post-dated-cheques`, registered))
  return student
}

async function giveBus(owner: Visitor, student: string): Promise<string> {
  const { at, id, options } = await makeOptionalFee(owner, {
    academic_year_start: 2026,
    academic_year_end: 2027,
    kind: 'transport',
    name: 'School bus',
    component_type: 'BUS_FEE',
    rhythm: 'once',
    options: [{ name: 'Route 4', stop: 'Gandhi Chowk', amount: 15_000 }],
  })
  await must(owner.post(`${at}/children`, { student_ids: [student], option_id: options[0] }))
  return id
}

/** A lender whose officer has an application to decide, and somebody who has been invited and not come yet. */
async function makeDesk(bursar: TestBursar, student: string) {
  const { ctx } = bursar.app
  const limits = { leastPaise: paiseOf(1_000_00), mostPaise: paiseOf(500_000_00) }
  const terms = { kind: 'desk', apiUrl: null, yearlyRateBp: 1200, months: 12, ...limits } as const
  await addLender(ctx, { ...terms, code: 'sahakari', title: 'Sahakari Bank' })
  await chooseLender(ctx, await getInstitute(ctx, 'demo-school'), 'sahakari')
  const officer = await createPerson(bursar, { email: 'ravi@sahakari.example.in', lender: 'sahakari' })
  const path = `/api/v1/integrations/cred/students/${student}/applications`
  const { application_id: application } = await data(bursar.demo.post(path, { amount: 20_000 }))
  const guest = { email: 'guest@school.example', name: 'Meera Iyer', isOperator: false, member: null }
  const { link } = await createUser(ctx, { ...guest, lender: 'sahakari' })
  return { officer, application, token: tokenOf(link ?? '') }
}

/** A file of links, and one of students. */
async function makeFiles(owner: Visitor): Promise<PageIds> {
  const rows = ['Asha Menon,9876543210,asha@example.in,TUITION_FEE,1500', 'Ravi,12,nobody,TUITION_FEE,x']
  const { id: file } = await data(uploadFile(owner, linksFile(rows)))
  const query = new URLSearchParams({
    columns: JSON.stringify(['identifier', 'fullname', 'grade', 'primary_contact_number']),
    academic_year_start: '2026',
    academic_year_end: '2027',
  })
  const list = 'Adm No,Name,Class,Mobile\r\nADM-77,Zoya Khan,5,9876543210\r\n'
  const sent = { at: SCHOOL, to: 'student-files', query: String(query), name: 'students.csv' }
  const { id: roster } = await data(uploadFile(owner, list, sent))
  return { file, '/students/import/$file': roster }
}

async function makeRollover(owner: Visitor): Promise<string> {
  const { id } = await data(
    owner.post(`${SCHOOL}/rollovers`, {
      from_academic_year_start: 2026,
      from_academic_year_end: 2027,
      to_academic_year_start: 2027,
      to_academic_year_end: 2028,
      grades: [{ grade: '5', next_grade: '6' }],
      carry_dues_as: 'PREVIOUS_YEAR_DUES',
      without_structure: true,
      reason: 'A new year',
    }),
  )
  return id
}

async function remind(owner: Visitor, student: string): Promise<string> {
  const text = { subject: 'Fees are due', body: 'Please pay:\n\n{details}\n\nTotal {total}.' }
  const run = { ...text, channels: ['email'], scope: 'all', student_ids: [student] }
  return (await data(owner.post(`${SCHOOL}/reminder-runs`, run))).id
}
