import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Json } from '../harness/client.ts'

/** What happens to the next request instead of a clean exchange. */
export type Fault =
  | { kind: 'cut' }
  | { kind: 'hang' }
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body: Json }
  | { kind: 'change'; change: (body: Json) => void }

export type SeenRequest = { method: string; path: string; key: string | undefined; at: number }

/** Stands between a client and a sandbox, and does what its list of faults says, one for each request. */
export class FaultyProxy {
  readonly seen: SeenRequest[] = []
  readonly #faults: (Fault | null)[] = []
  readonly #server = createServer((incoming, outgoing) => void this.#serve(incoming, outgoing))
  readonly #target: URL

  constructor(target: string) {
    this.#target = new URL(target)
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** For the requests that follow, in their order; null lets one through. */
  plan(...faults: (Fault | null)[]): void {
    this.#faults.splice(0, Infinity, ...faults)
    this.seen.splice(0)
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming
    this.seen.push({
      method,
      path: url,
      key: headers['idempotency-key'] as string | undefined,
      at: performance.now(),
    })
    const fault = this.#faults.shift() ?? null
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'answer') {
      outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
      outgoing.end(JSON.stringify(fault.body))
      return
    }
    const answer = await this.#forward(incoming, Buffer.concat(chunks))
    // The server has done it, and the client does not learn of it.
    if (fault?.kind === 'cut') outgoing.destroy()
    else {
      const body = fault === null ? answer.body : changed(answer.body, fault.change)
      const { 'content-length': _, 'transfer-encoding': __, ...others } = answer.headers
      outgoing.writeHead(answer.status, { ...others, 'content-length': body.length })
      outgoing.end(body)
    }
  }

  async #forward(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> {
    const { 'transfer-encoding': _, ...sent } = headers
    const { hostname, port, host } = this.#target
    const out = request({
      hostname,
      port,
      method,
      path: url,
      headers: { ...sent, host, 'content-length': body.length },
    })
    out.end(body)
    const [answer] = (await once(out, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }
  }
}

function changed(body: Buffer, change: (body: Json) => void): Buffer {
  const json = JSON.parse(body.toString('utf8'))
  change(json)
  return Buffer.from(JSON.stringify(json))
}
