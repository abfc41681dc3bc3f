import assert from 'node:assert/strict'
import type { TestBursar } from '../harness/bursar.ts'
import type { Client, Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { Visitor } from '../harness/visitor.ts'

let count = 0

export type Family = { user: string; students: string[] }

type FamilyOptions = { students?: Record<string, unknown>[]; fees?: Json[]; payments?: Json[] }

export const FEES = [
  {
    component_type: 'TUITION_FEE',
    fee_amount: 60000,
    discounts: [{ discount_type: 'SIBLING_CONCESSION', value: 6000 }],
  },
  { component_type: 'TRANSPORT_FEE', fee_amount: 12000.5 },
]

const END = new Date().getFullYear() + 2
/** Of which at least a year is left: a plan that a family asks for ends inside it. */
export const ROOMY_YEAR = { academic_year_start: END - 1, academic_year_end: END }

/** A parent with children who owe. */
export async function newFamily(client: Client, wanted: FamilyOptions = {}): Promise<Family> {
  const { students = [{}], fees = FEES, payments = [] } = wanted
  const user = `family-${++count}`
  const ids: string[] = []
  for (const [index, student] of students.entries()) {
    const body = {
      student: sampleStudent({ identifier: `FAM-${count}-${index}`, ...student }),
      fee_components: fees,
      payments,
    }
    const answer = await client.post(`${ERP}/users/${user}/students`, body)
    assert.equal(answer.status, 201, answer.text)
    ids.push(answer.body.data.service_student_id)
  }
  return { user, students: ids }
}

export async function entranceFor(client: Client, user: string, query = ''): Promise<string> {
  const answer = await client.post(`${ERP}/users/${user}/access_token`)
  assert.equal(answer.status, 201, answer.text)
  return `/login-redirect?access_token=${answer.body.data.access_token}${query}`
}

/** One who is in. */
export async function visitAs({ demo, url }: TestBursar, user: string): Promise<Visitor> {
  const visitor = new Visitor(url)
  const seen = await visitor.open(await entranceFor(demo, user))
  assert.equal(seen.status, 200, seen.text)
  return visitor
}

/** Sends a form of the page as the page has it. */
export async function submit(
  visitor: Visitor,
  page: string,
  action: string,
  fields: Record<string, string> = {},
) {
  return visitor.post(action, { csrf: await visitor.csrf(page), ...fields })
}

/** Presses pay on the page of a child; answers the order. */
export async function startPaying(visitor: Visitor, studentId: string, amount?: string): Promise<string> {
  const path = `/parents/students/${studentId}`
  const seen = await submit(visitor, path, `${path}/pay`, amount === undefined ? {} : { amount })
  assert.equal(seen.status, 303, seen.text)
  return /^\/pay\/demo-school\/(\w+)$/.exec(seen.location ?? '')?.[1] ?? assert.fail(String(seen.location))
}

/** What a page says, without its markup. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}
