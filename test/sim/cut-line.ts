import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Stands between Bursar and PostgreSQL and can be cut at a chosen statement: before the server has it, or after, when
 * the server did it and the answer is lost. Nothing gets through afterwards, as if the process had died right there.
 */
export type CutLine = {
  /** The folder to name as the database's host, in the parameter of that name. */
  host: string
  /** The line breaks at the statement that many from now. */
  cutAt(statement: number, isAnswerLost: boolean): void
  cut(): void
  isCut(): boolean
  mend(): void
  close(): void
}

const [EXECUTE, SIMPLE_QUERY, SYNC] = ['E', 'Q', 'S'].map(type => type.charCodeAt(0))

type Pair = { client: Socket; upstream: Socket }

export async function startCutLine(database: URL): Promise<CutLine> {
  const port = Number(database.port || 5432)
  const socket = `.s.PGSQL.${port}`
  const folder = database.searchParams.get('host')
  const target = folder === null ? { host: database.hostname, port } : { path: join(folder, socket) }
  const host = mkdtempSync(join(tmpdir(), 'bursar-line-'))
  const pairs = new Set<Pair>()
  let left = Infinity
  let isAnswerLost = false
  let isCut = false

  const cut = (): void => {
    isCut = true
    for (const { client, upstream } of pairs) {
      client.destroy()
      // What the server has been sent it still does; then it sees that nobody is there.
      upstream.end()
    }
  }
  /** True while messages still go through. */
  const pass = (type: number): boolean => {
    if (isCut) return false
    if (type !== EXECUTE && type !== SIMPLE_QUERY) return true
    left--
    if (left > 0 || isAnswerLost) return true
    cut()
    return false
  }
  const server = createServer(client => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(target)
    const pair = { client, upstream }
    pairs.add(pair)
    const split = messageSplitter((type, message) => {
      if (!pass(type)) return
      upstream.write(message)
      if (left <= 0 && isAnswerLost && (type === SYNC || type === SIMPLE_QUERY)) cut()
    })
    client.on('data', split)
    upstream.on('data', chunk => {
      if (!client.destroyed) client.write(chunk)
    })
    upstream.on('close', () => {
      pairs.delete(pair)
      client.destroy()
    })
    client.on('close', () => upstream.end())
    for (const socket of [client, upstream]) socket.on('error', () => {})
  })
  await new Promise<void>(resolve => server.listen(join(host, socket), resolve))
  return {
    host,
    cutAt(statement, isLost) {
      left = statement
      isAnswerLost = isLost
    },
    cut,
    isCut: () => isCut,
    mend() {
      left = Infinity
      isCut = false
    },
    close() {
      cut()
      server.close()
      rmSync(host, { recursive: true, force: true })
    },
  }
}

/** Cuts the frontend's bytes into messages: a start-up message without a type, then type, length, content. */
function messageSplitter(onMessage: (type: number, message: Buffer) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0)
  let hasStarted = false
  return chunk => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    for (;;) {
      const header = hasStarted ? 1 : 0
      if (pending.length < header + 4) return
      const end = header + pending.readInt32BE(header)
      if (pending.length < end) return
      onMessage(hasStarted ? pending.readUInt8(0) : 0, pending.subarray(0, end))
      hasStarted = true
      pending = pending.subarray(end)
    }
  }
}
