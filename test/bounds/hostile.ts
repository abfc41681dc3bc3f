import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { WORST_BODIES } from '../harness/worst-files.ts'

/**
 * A process of its own, so that the one that is watched computes nothing of it: whatever it is asked for, it answers the
 * worst. The address says what: `/<name of the answer>/<bytes>`, and anything behind that.
 */
type Answer = (reply: ServerResponse, bytes: number) => void

const MOST_BYTES = 2 * 1024 * 1024
const json = (reply: ServerResponse, body: string | Buffer): void =>
  void reply.writeHead(200, { 'content-type': 'application/json' }).end(body)

/** Cut where the limit is: of what is longer a client reads no more either. */
const bodies = Object.entries(WORST_BODIES).map(([name, make]): [string, Answer] => {
  const one = make()
  const long = Buffer.from(`[${one},${one},${one}]`)
  return [
    name.replaceAll(' ', '-'),
    (reply, bytes) => json(reply, bytes < one.length ? long.subarray(0, bytes) : one),
  ]
})

const values = (bytes: number): string => {
  const list = `{"data":[${'{},'.repeat(9_900)}1],"text":"`
  return `${list.padEnd(bytes - 2, 'x')}"}`
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(bodies),
  'all-its-bytes': (reply, bytes) => json(reply, values(bytes)),
  'without-end': reply => {
    const write = (): void => {
      while (reply.write('x'.repeat(65_536)));
      reply.once('drain', write)
    }
    write()
  },
  // Each part costs whoever keeps it far more than the byte that it brings.
  'byte-by-byte': (reply, bytes) => {
    reply.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
    reply.socket?.write('1\r\n \r\n'.repeat(bytes - 2) + '2\r\n{}\r\n0\r\n\r\n')
  },
  'unpacks-to-much': reply =>
    void reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50 * MOST_BYTES))),
}

const web = createServer((request, reply) => {
  const [, name = '', bytes = ''] = request.url?.split('/') ?? []
  request.resume().on('end', () => ANSWERS[name]?.(reply, Number(bytes)))
  reply.on('error', () => {})
})
/** A mail server that says more than anybody wants to hear: in one line, or in very many. */
const talker = (line: string): Server =>
  createTcpServer(socket => {
    const talk = (): void => {
      while (socket.write(line));
    }
    socket.on('drain', talk).on('error', () => {})
    talk()
  })
const servers = [web, talker('220-'.padEnd(65_536, 'x')), talker('220-x\r\n'.repeat(9_000))]
await Promise.all(
  servers.map(server => new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))),
)
const [webPort, ...mailPorts] = servers.map(server => (server.address() as AddressInfo).port)
process.on('disconnect', () => process.exit())
process.send?.({ webPort, mailPorts, names: Object.keys(ANSWERS) })

export type Hostile = { webPort: number; mailPorts: readonly number[]; names: readonly string[] }
