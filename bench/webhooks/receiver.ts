import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An ERP's receiver at several ports, as cheap as a server can be. Prints its ports, then notes when each event first
 * came; `GET /arrivals` answers and forgets them.
 */
const PORTS = 10
const isNoting = process.argv[2] === 'noting'
let arrivals: Record<string, number> = {}

const ports: number[] = []
for (let n = 0; n < PORTS; n++) {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.end(JSON.stringify(arrivals))
      arrivals = {}
      return
    }
    const id = request.headers['webhook-id']
    if (isNoting && typeof id === 'string') arrivals[id] ??= performance.timeOrigin + performance.now()
    request.resume()
    request.once('end', () => response.end('ok'))
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  ports.push((server.address() as AddressInfo).port)
}
process.stdout.write(`${JSON.stringify(ports)}\n`)
