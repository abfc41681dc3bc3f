import assert from 'node:assert/strict'
import type { Answer, Client, Json } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import type { Visitor } from '../support.ts'

export const AT = '/console/api/institutes/demo-school'
export const GROUP_AT = '/console/api/institutes/demo-group'

/** Makes one by the ERP's API; answers its id. */
export async function makeOrder(
  client: Client,
  kind: 'orders' | 'payment_links',
  changes: Record<string, unknown> = {},
): Promise<string> {
  const { status, body, text } = await client.post(`${PAY}/${kind}`, sampleOrder(changes))
  assert.equal(status, 201, text)
  return body.data.order_id
}

export async function read(visitor: Visitor, path: string): Promise<Json> {
  const { status, body, text } = await visitor.get(path)
  assert.equal(status, 200, text)
  return body.data
}

/** The file as the body, as a browser sends one. */
export async function uploadFile(
  visitor: Visitor,
  file: string | Uint8Array<ArrayBuffer>,
  {
    name = 'links.csv',
    key,
    at = AT,
    to = 'link-batches',
    query = '',
  }: { name?: string; key?: string; at?: string; to?: string; query?: string } = {},
): Promise<Answer> {
  const response = await fetch(`${visitor.url}${at}/${to}?name=${encodeURIComponent(name)}&${query}`, {
    method: 'POST',
    body: file,
    headers: {
      'content-type': 'text/csv',
      origin: visitor.url,
      ...(visitor.cookie === null ? {} : { cookie: visitor.cookie }),
      ...(visitor.csrf === null ? {} : { 'x-csrf': visitor.csrf }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

export function linksFile(
  rows: readonly string[],
  header = 'name,phone,email,component_type,amount',
): string {
  return `${[header, ...rows].join('\r\n')}\r\n`
}
