import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after } from 'node:test'
import type { ScopeName } from '../../src/institutes/institutes.rules.ts'
import { createInstitute } from '../../src/institutes/institutes.service.ts'
import { createKey } from '../../src/institutes/keys.service.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import { DEMO, GROUP, type Answer, type Client, type Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../harness/samples.ts'
import { CheckedClient, readDocument, type Document } from './openapi-check.ts'

/** One Bursar for a file; what its clients are answered is held against the OpenAPI document. */
export type Contract = Omit<TestBursar, 'sql'> & { document: Document; sql: TestBursar['sql'] }

export async function openContract(): Promise<Contract> {
  const bursar = await startBursar({ after })
  const document = await readDocument(bursar.url)
  return {
    ...bursar,
    document,
    demo: new CheckedClient(document, bursar.url, DEMO),
    group: new CheckedClient(document, bursar.url, GROUP),
  }
}

/** The error registry: each code with its one status. */
export const REGISTRY = {
  HUE00000: 400,
  HUE00001: 404,
  HUE00002: 409,
  HUE00003: 405,
  HUE00004: 413,
  AUE00000: 401,
  AUE00001: 403,
  IDE00000: 422,
  IDE00001: 409,
  RLE00000: 429,
  SYE00000: 500,
  SYE00001: 503,
} as const

export function assertRefused(answer: Answer, code: keyof typeof REGISTRY, field?: string): void {
  assert.equal(`${answer.status} ${answer.body?.code}`, `${REGISTRY[code]} ${code}`, answer.text)
  assert.equal(answer.body.status, 'error')
  if (field === undefined) return
  const keys = (answer.body.errors ?? []).map((error: Json) => error.key)
  assert.ok(keys.includes(field), `${field} is named among the errors: ${answer.text}`)
}

export function assertStatus(answer: Answer, status: number): void {
  assert.equal(answer.status, status, answer.text)
}

let count = 0

/** A text that no other test of the file uses. */
export function unique(prefix: string): string {
  count += 1
  return `${prefix}-${count}`
}

export async function createOrder(client: Client, changes: Record<string, unknown> = {}): Promise<string> {
  const answer = await client.post(`${PAY}/orders`, sampleOrder(changes))
  assertStatus(answer, 201)
  return answer.body.data.order_id
}

export async function createLink(client: Client, changes: Record<string, unknown> = {}): Promise<string> {
  const answer = await client.post(`${PAY}/payment_links`, sampleOrder(changes))
  assertStatus(answer, 201)
  return answer.body.data.order_id
}

/** Registers under a user; the student is one of its own unless the changes name it. */
export async function register(
  client: Client,
  registrationId: string,
  student: Record<string, unknown> = {},
  rest: Record<string, unknown> = {},
): Promise<Answer> {
  const body = { student: sampleStudent({ identifier: unique('ADM'), ...student }), ...rest }
  return client.post(`${ERP}/users/${registrationId}/students`, body)
}

export async function newStudent(client: Client, rest: Record<string, unknown> = {}): Promise<string> {
  const answer = await register(client, unique('parent'), {}, rest)
  assertStatus(answer, 201)
  return answer.body.data.service_student_id
}

export function samplePayment(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    amount: 20000,
    paid_at: '2026-06-05T10:15:00+05:30',
    mode: 'cash',
    transaction_id: unique('CASH'),
    fee_components: [{ component_type: 'TUITION_FEE', amount: 20000 }],
    ...changes,
  }
}

type KeyWishes = { scopes?: ScopeName[]; ratePerSecond?: number; burst?: number; institute?: string }

/** A client with a key of its own. */
export async function clientWith(contract: Contract, wishes: KeyWishes): Promise<CheckedClient> {
  const { scopes = ['read', 'write'], ratePerSecond, burst, institute = 'demo-school' } = wishes
  const key = await createKey(contract.app.ctx, institute, {
    label: unique('key'),
    scopes,
    ratePerSecond,
    burst,
  })
  return new CheckedClient(contract.document, contract.url, { key: key.keyId, secret: key.secret })
}

/** A school whose catalogue is closed; it knows TUITION_FEE, grade 5 and SCHOLARSHIP. */
export async function strictSchool(contract: Contract): Promise<CheckedClient> {
  const code = unique('strict')
  await createInstitute(contract.app.ctx, {
    code,
    name: 'Strict School',
    branches: [{ collectorCode: 'MAIN', name: 'Main branch' }],
    strictCatalogue: true,
  })
  await contract.sql(
    `insert into catalogue_entries (institute_id, kind, code, name)
     select id, kind, entry, entry from institutes,
       (values ('component', 'TUITION_FEE'), ('grade', '5'), ('discount', 'SCHOLARSHIP')) as known (kind, entry)
     where institutes.code = $1`,
    [code],
  )
  return clientWith(contract, { institute: code })
}

type RawRequest = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  auth?: string
}

/** For what `fetch` would not send as it is: userinfo, Host, a body on GET, no Content-Type. */
export function sendRaw(url: string, { body, ...options }: RawRequest): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing = request({ hostname, port, agent: false, ...options }, response => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const headers = new Headers(
        Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
      )
      resolve({ status: response.statusCode ?? 0, headers, text, body: JSON.parse(text) })
    })
  })
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

/** An answer without what differs from request to request. */
export function withoutRequestId(answer: Answer): Json {
  const { request_id: requestId, ...rest } = answer.body
  assert.match(requestId, /^req_/)
  return { httpStatus: answer.status, ...rest }
}

export type EventRow = {
  id: string
  event_code: string
  resource_id: string
  sequence: string
  occurred_at: Date
  payload: Json
}

/** Every event recorded of one order or student, oldest first. */
export function eventsOf(contract: Contract, resourceId: string): Promise<EventRow[]> {
  return contract.sql<EventRow>(
    `select id, event_code, resource_id, sequence, occurred_at, payload from events
     where resource_id = $1 order by sequence`,
    [resourceId],
  )
}
