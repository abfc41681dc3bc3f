import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from './clock.ts'

/** What every emulated vendor needs: a server that writes down what it was asked and can be told to misbehave. */
export type Fields = Record<string, unknown>

/** A text of a body; anything else is as if it were not there. */
export function textOf(fields: Fields | undefined, key: string): string {
  const value = fields?.[key]
  return typeof value === 'string' ? value : ''
}

export type SeenRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** Of a JSON or form body. */
  body: Fields
}

/** A text body is a page, a `location` a redirect, everything else JSON. */
export type EmulatorAnswer = {
  status: number
  body?: unknown
  location?: string
  headers?: Record<string, string>
}

export type Fault = (response: ServerResponse) => void

export type Server = {
  url: string
  seen: SeenRequest[]
  /** Spoils the next answer to a request whose method and path begin so; the request is still carried out. */
  spoil(start: string, fault: Fault): void
  close(): Promise<void>
}

const BODY_BYTES = 1024 * 1024

export async function startServer(
  handle: (request: SeenRequest) => EmulatorAnswer | Promise<EmulatorAnswer>,
  options: { port?: number | undefined; clock?: Clock | undefined } = {},
): Promise<Server> {
  const { port = 0, clock } = options
  const seen: SeenRequest[] = []
  const faults: { start: string; fault: Fault }[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers } = request
    const url = new URL(request.url ?? '/', 'http://emulator')
    const body = await readBody(request)
    const asked = { method, path: url.pathname, query: url.searchParams, headers, body }
    seen.push(asked)
    await clock?.read()
    const answer = await handle(asked)
    const index = faults.findIndex(({ start }) => `${method} ${asked.path}`.startsWith(start))
    const [planned] = index < 0 ? [] : faults.splice(index, 1)
    if (planned === undefined) write(response, answer)
    else planned.fault(response)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    spoil: (start, fault) => void faults.push({ start, fault }),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function write(response: ServerResponse, { status, body, location, headers }: EmulatorAnswer): void {
  if (location !== undefined) return void response.writeHead(status, { ...headers, location }).end()
  const isPage = typeof body === 'string'
  const type = isPage ? 'text/html; charset=utf-8' : 'application/json'
  response.writeHead(status, { ...headers, 'content-type': type }).end(isPage ? body : JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > BODY_BYTES) throw new Error('the body is too long')
    chunks.push(chunk as Buffer)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  if (text === '') return {}
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : (JSON.parse(text) as Fields)
}
