import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { LenderBooks, type Act, type Loan, type Submission, type Update } from './books.ts'
import { actOfForm, describeLoans } from './page.ts'

/**
 * A lender that implements the lender protocol (docs/lender/protocol.md), with its signatures by the published library
 * and not by Bursar's code. Tests drive it by `act`; a person does so on its page.
 */
export type LenderEmulator = {
  url: string
  books: LenderBooks
  /** Secrets that it signs with and accepts, the current one first. */
  secrets: string[]
  /** Paths that it was asked for, in order. */
  asked: string[]
  /** Applies an act and returns the message about it without sending it; null when the act is refused. */
  act(applicationId: string, act: Act): Message | null
  send(message: Message): Promise<number>
  /** The next request to this path is carried out, and its answer is lost or replaced. */
  spoil(path: string, fault: Fault): void
  close(): Promise<void>
}

export type Message = {
  application_id: string
  lender_ref: string
  type: 'application.updated'
  update: Update
}
type Fault = 'lose' | { status: number; body?: string }

type Options = {
  port?: number
  secret: string
  /** Where Bursar takes its messages; by `callbackOf` because Bursar may start later. */
  callbackUrl: () => string
  now?: () => Date
}

const BODY_BYTES = 1024 * 1024

export async function startLender({
  port = 0,
  secret,
  callbackUrl,
  now = () => new Date(),
}: Options): Promise<LenderEmulator> {
  const books = new LenderBooks(now)
  const faults: { path: string; fault: Fault }[] = []
  const asked: string[] = []
  const secrets = [secret]
  const act = (applicationId: string, what: Act): Message | null => {
    const loan = books.loans.get(applicationId)
    const update = loan === undefined ? null : books.act(loan, what)
    return loan === undefined || update === null ? null : messageOf(loan, update)
  }
  const send = async (message: Message): Promise<number> => {
    const body = JSON.stringify(message)
    const headers = signedHeaders(secrets[0] ?? '', body)
    const answer = await fetch(callbackUrl(), { method: 'POST', headers, body })
    await answer.text()
    return answer.status
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://lender').pathname
    const raw = await readBody(request)
    asked.push(path)
    if (path.startsWith('/page')) {
      const wanted = request.method === 'POST' ? actOfForm(raw) : null
      const message = wanted === null ? null : act(wanted.applicationId, wanted.act)
      if (message !== null) await send(message)
      if (request.method === 'POST') return void response.writeHead(303, { location: '/page' }).end()
      return void response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(describeLoans([...books.loans.values()]))
    }
    const isOurs = isSigned(secrets, raw, request.headers)
    const { status, body } = isOurs ? answerTo(books, url, path, raw) : { status: 401, body: {} }
    const index = faults.findIndex(one => one.path === path)
    const [planned] = index < 0 ? [] : faults.splice(index, 1)
    if (planned?.fault === 'lose') return void response.destroy()
    response.writeHead(planned?.fault.status ?? status, { 'content-type': 'application/json' })
    response.end(planned === undefined ? JSON.stringify(body) : (planned.fault.body ?? ''))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    books,
    secrets,
    asked,
    act,
    send,
    spoil: (path, fault) => void faults.push({ path, fault }),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function messageOf({ applicationId, ref }: Loan, update: Update): Message {
  return { type: 'application.updated', application_id: applicationId, lender_ref: ref, update }
}

export function signedHeaders(secret: string, body: string, at = new Date()): Record<string, string> {
  const id = `msg_${randomUUID()}`
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
}

function isSigned(secrets: readonly string[], raw: string, headers: IncomingMessage['headers']): boolean {
  return secrets.some(secret => {
    try {
      new Webhook(secret).verify(raw, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  })
}

type LenderAnswer = { status: number; body: unknown }
type Submitted = Submission & { type: string; offer_id: string; how: 'canceled' | 'expired' }

/** The type in the signed body has to be that of the path. */
const TYPES: Record<string, string> = {
  '/applications/submit': 'application.submit',
  '/applications/status': 'application.status',
  '/applications/accept': 'offer.accept',
  '/applications/end': 'application.end',
  '/ping': 'ping',
}

function answerTo(books: LenderBooks, url: string, path: string, raw: string): LenderAnswer {
  const asked = JSON.parse(raw) as Submitted
  if (TYPES[path] !== asked.type) return { status: 404, body: {} }
  switch (asked.type) {
    case 'ping':
      return { status: 200, body: {} }
    case 'application.submit': {
      const { ref } = books.submit(asked)
      return { status: 200, body: { lender_ref: ref, redirect_url: `${url}/page` } }
    }
    case 'offer.accept':
      return books.accept(asked.application_id, asked.offer_id)
        ? { status: 200, body: {} }
        : { status: 409, body: {} }
    case 'application.end':
      return { status: 200, body: historyOf(books.end(asked.application_id, asked.how)) }
    default:
      return { status: 200, body: historyOf(books.loans.get(asked.application_id)) }
  }
}

function historyOf(loan: Loan | undefined): object {
  return loan === undefined ? { updates: [] } : { lender_ref: loan.ref, updates: loan.updates }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > BODY_BYTES) throw new Error('the body is too long')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
