import assert from 'node:assert/strict'
import type { Client, Json } from '../harness/client.ts'
import { PAY } from '../harness/samples.ts'

/** Payment pages as an institute makes them and as a browser fills them in. */
export const PAGES = `${PAY}/pages`

export function samplePage(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { title: 'Science fair', details: [{ component_type: 'EVENT_FEE', amount: 250 }], ...changes }
}

export type MadePage = { id: string; url: string }

export async function createPage(client: Client, changes: Record<string, unknown> = {}): Promise<MadePage> {
  const { status, body, text } = await client.post(PAGES, samplePage(changes))
  assert.equal(status, 201, text)
  return { id: body.data.page_id, url: body.data.url }
}

export const CONTACT = { name: 'Asha Rao', phone: '98765 43210', email: 'asha@example.in' }

export type FormAnswer = { status: number; location: string; text: string; headers: Headers }

export async function post(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<FormAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
    headers,
  })
  const location = answer.headers.get('location') ?? ''
  return { status: answer.status, location, text: await answer.text(), headers: answer.headers }
}

/** The token of a form as it is shown. */
export async function openForm(url: string): Promise<string> {
  const text = await (await fetch(url)).text()
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1]
  assert.ok(token, text)
  return token
}

/** Fills a fresh form in; answers the order that it leads to. */
export async function submit(url: string, fields: Record<string, string> = {}): Promise<string> {
  const token = await openForm(url)
  const { status, location, text } = await post(url, { ...CONTACT, token, ...fields })
  assert.equal(status, 303, text)
  return orderIn(location)
}

export function orderIn(location: string): string {
  const id = /^\/pay\/[\w-]+\/(order_\w+)$/.exec(location)?.[1]
  assert.ok(id, location)
  return id
}

export async function pay(client: Client, orderId: string, outcome = 'success'): Promise<Json> {
  const { status, body, text } = await client.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome })
  assert.equal(status, 200, text)
  return body.data
}

/** Something of every kind to choose and to ask. */
export const FAIR = {
  details: [
    { component_type: 'ENTRY', amount: 100 },
    { component_type: 'TICKET', label: 'Ticket', amount: 250.5, max_quantity: 5 },
    { component_type: 'LUNCH', amount: 80, is_optional: true },
    { component_type: 'GIFT', min_amount: 50, max_amount: 5000, is_optional: true },
  ],
  fields: [
    { key: 'student_name', is_required: true },
    { key: 'grade', options: ['5', '6'] },
    { key: 'date_of_birth' },
    { key: 'house', label: 'House' },
  ],
}

/** What cannot be a page: what is wrong, the change that makes it so, and the field to name. */
export const NOT_A_PAGE: [string, Record<string, unknown>, string][] = [
  ['no title', { title: undefined }, 'title'],
  ['a title that is too long', { title: 'x'.repeat(121) }, 'title'],
  ['no details', { details: [] }, 'details'],
  [
    'too many details',
    { details: Array.from({ length: 21 }, (_, n) => line({ component_type: `C${n}` })) },
    'details',
  ],
  ['an amount of 0', { details: [line({ amount: 0 })] }, 'details.0.amount'],
  ['an amount and a bound', { details: [line({ min_amount: 5 })] }, 'details.0.min_amount'],
  [
    'bounds the wrong way round',
    { details: [chosen({ min_amount: 5, max_amount: 4 })] },
    'details.0.max_amount',
  ],
  ['a most below the least of 1', { details: [chosen({ max_amount: 0.5 })] }, 'details.0.max_amount'],
  [
    'a quantity of what the payer chooses',
    { details: [chosen({ max_quantity: 2 })] },
    'details.0.max_quantity',
  ],
  ['a quantity of 0', { details: [line({ max_quantity: 0 })] }, 'details.0.max_quantity'],
  ['a quantity above 100', { details: [line({ max_quantity: 101 })] }, 'details.0.max_quantity'],
  ['a component twice', { details: [line(), line()] }, 'details.1.component_type'],
  ['more than money can be', { details: [line({ amount: 1e11, max_quantity: 100 })] }, 'details'],
  ['a slug with a space', { slug: 'science fair' }, 'slug'],
  ['a slug that begins with a dash', { slug: '-fair' }, 'slug'],
  ['a field asked twice', { fields: [own(), own()] }, 'fields.1.key'],
  ['a field that is always asked', { fields: [{ key: 'phone', label: 'Phone' }] }, 'fields.0.key'],
  ['a key in capitals', { fields: [own({ key: 'House' })] }, 'fields.0.key'],
  ['an own field without a label', { fields: [{ key: 'house' }] }, 'fields.0.label'],
  ['a birthday to choose', { fields: [{ key: 'date_of_birth', options: ['a'] }] }, 'fields.0.options'],
  ['an option twice', { fields: [own({ options: ['a', 'a'] })] }, 'fields.0.options.1'],
  [
    'too many options in all',
    {
      fields: 'abcde'
        .split('')
        .map(key => own({ key, options: Array.from({ length: 41 }, (_, n) => `${n}`) })),
    },
    'fields',
  ],
  ['closes_at in the past', { closes_at: '2020-01-01T00:00:00Z' }, 'closes_at'],
  ['max_payments of 0', { max_payments: 0 }, 'max_payments'],
  ['max_payments that is no whole number', { max_payments: 1.5 }, 'max_payments'],
  ['a callback_url that is no URL', { callback_url: 'javascript:alert(1)' }, 'callback_url'],
]

function line(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { component_type: 'EVENT_FEE', amount: 250, ...changes }
}
function chosen(changes: Record<string, unknown>): Record<string, unknown> {
  return { component_type: 'GIFT', ...changes }
}
function own(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { key: 'house', label: 'House', ...changes }
}
