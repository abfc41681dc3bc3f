import assert from 'node:assert/strict'
import type { Role } from '../../src/console/console.rules.ts'
import { createUser } from '../../src/console/auth/users.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import type { TestBursar } from '../harness/bursar.ts'
import type { Answer } from '../harness/client.ts'

export const API = '/console/api'
export const PASSWORD = 'seven green kites'

/** A browser at the console: keeps its cookie, sends the token that goes with it. */
export class Visitor {
  readonly url: string
  cookie: string | null = null
  /** Kept after signing out, as a browser does. */
  device: string | null = null
  csrf: string | null = null
  /** Sent with every request, such as the address that a proxy saw. */
  readonly #headers: Record<string, string>

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url
    this.#headers = headers
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers)
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, body, headers)
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(method === 'GET' ? {} : { 'content-type': 'application/json', origin: this.url }),
        cookie: [this.cookie, this.device].filter(one => one !== null).join('; '),
        ...(this.csrf === null || method === 'GET' ? {} : { 'x-csrf': this.csrf }),
        ...this.#headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const cookie = /^[^;]*=[^;]+/.exec(set)?.[0] ?? null
      if (/^[^=]*_device=/.test(set)) this.device = cookie
      else this.cookie = cookie
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }

  /** Reads the session, and with it the token for writes. */
  async greet(): Promise<Answer> {
    const answer = await this.get(`${API}/session`)
    this.csrf = answer.body.data.csrf ?? null
    return answer
  }

  async signIn(email: string, password = PASSWORD, code?: string): Promise<Answer> {
    const answer = await this.post(`${API}/session`, {
      email,
      password,
      ...(code === undefined ? {} : { code }),
    })
    if (answer.status === 200) await this.greet()
    return answer
  }
}

type Person = {
  email: string
  name?: string
  operator?: boolean
  institute?: string
  role?: Role
  lender?: string
}

/** Somebody with a password, as the command line and its link make them. */
export async function createPerson({ app: { ctx }, url }: TestBursar, person: Person): Promise<Visitor> {
  const { email, name = 'Asha Rao', operator = false, institute, role = 'owner', lender = null } = person
  const member = institute === undefined ? null : { institute: await getInstitute(ctx, institute), role }
  const { link } = await createUser(ctx, { email, name, isOperator: operator, member, lender })
  const at = new URL(link ?? url).searchParams.get('at')
  // As the console's pages do where a link names its cell.
  const visitor = new Visitor(url, at === null ? {} : { 'bursar-at': at })
  const answer = await visitor.post(`${API}/invitations/accept`, {
    token: tokenOf(link ?? ''),
    password: PASSWORD,
  })
  assert.equal(`${answer.status} ${answer.body.data?.state}`, '200 signed_in', answer.text)
  await visitor.greet()
  return visitor
}

export function tokenOf(link: string): string {
  return /\/console\/join\/([\w-]+)/.exec(link)?.[1] ?? ''
}

export async function demoVisitor(url: string, email = 'bursar@demo-school.example'): Promise<Visitor> {
  const visitor = new Visitor(url)
  const answer = await visitor.post(`${API}/session/demo`, { email })
  assert.equal(answer.status, 200, answer.text)
  await visitor.greet()
  return visitor
}

export function assertAnswer(answer: Answer, expected: string): void {
  assert.equal(`${answer.status} ${answer.body?.code ?? ''}`.trim(), expected, answer.text)
}
