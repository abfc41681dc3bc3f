import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Stands between Bursar and PostgreSQL on a socket of its own and counts the statements that pass. */
export type PostgresProxy = {
  host: string
  statements(): number
  /** From now on nothing passes, and nobody is told: as when a machine loses its power. */
  fallSilent(): void
  close(): void
}

const EXECUTE = 'E'.charCodeAt(0)
const SIMPLE_QUERY = 'Q'.charCodeAt(0)

/** Its address is the database's with `host` as the parameter of that name. */
export async function startPostgresProxy(
  database: URL,
  host = mkdtempSync(join(tmpdir(), 'bursar-proxy-')),
): Promise<PostgresProxy> {
  const port = Number(database.port || 5432)
  const socket = `.s.PGSQL.${port}`
  const folder = database.searchParams.get('host')
  const target = folder === null ? { host: database.hostname, port } : { path: join(folder, socket) }
  let count = 0
  let isSilent = false
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(target)
    const read = frontendReader(type => {
      if (type === EXECUTE || type === SIMPLE_QUERY) count++
    })
    client.on('data', read)
    if (!isSilent) client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => client.destroy()))
  })
  await new Promise<void>(resolve => server.listen(join(host, socket), resolve))
  return {
    host,
    statements: () => count,
    fallSilent() {
      isSilent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      rmSync(host, { recursive: true, force: true })
    },
  }
}

/** Walks the frontend's messages: a start-up message without a type, then type, length, content. */
function frontendReader(onMessage: (type: number) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0)
  let hasStarted = false
  return chunk => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const header = hasStarted ? 1 : 0
      if (pending.length < header + 4) return
      const end = header + pending.readInt32BE(header)
      if (pending.length < end) return
      if (hasStarted) onMessage(pending.readUInt8(0))
      hasStarted = true
      pending = pending.subarray(end)
    }
  }
}
