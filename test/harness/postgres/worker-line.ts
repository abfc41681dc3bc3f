import assert from 'node:assert/strict'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'

import type { TestBursar } from '../bursar.ts'

/** The line to a worker of a Citus, which a test cuts and mends. */
export type WorkerLine = {
  port: number
  cut(): void
  /** Nothing passes, and nobody is told. */
  freeze(): void
  mend(): void
  close(): void
}

async function startWorkerLine(target: { host: string; port: number }): Promise<WorkerLine> {
  const sockets = new Set<Socket>()
  let isCut = false
  let isFrozen = false
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const server = createServer(client => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(target)
    if (isFrozen) client.pause()
    if (!isFrozen) client.pipe(upstream).pipe(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy()).on('close', () => sockets.delete(socket) && other.destroy())
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      endAll()
    },
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    mend() {
      if (isFrozen) endAll()
      isCut = isFrozen = false
    },
    close() {
      endAll()
      server.close()
    },
  }
}

type Owner = { after(done: () => Promise<void> | void): void }
type Node = { id: number; host: string; port: number }

/** From now on the coordinator reaches the worker of a school by a line that the test cuts. */
export async function stringLine(
  owner: Owner,
  bursar: Pick<TestBursar, 'sql'>,
  school: string,
): Promise<WorkerLine> {
  const [node] = await bursar.sql<Node>(
    `select n.nodeid as id, n.nodename as host, n.nodeport as port from citus_shards s
     join pg_dist_node n on (n.nodename, n.nodeport) = (s.nodename, s.nodeport)
     where s.shardid = get_shard_id_for_distribution_column('students', (select id from institutes where code = $1))`,
    [school],
  )
  assert.ok(node !== undefined)
  const line = await startWorkerLine(node)
  owner.after(() => line.close())
  await bursar.sql(`update pg_dist_node set nodename = '127.0.0.1', nodeport = $2 where nodeid = $1`, [
    node.id,
    line.port,
  ])
  return line
}
