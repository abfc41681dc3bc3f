import { createServer, connect, type AddressInfo, type Socket } from 'node:net'

/** The line to a worker of a Citus, which a test cuts and mends. */
export type WorkerLine = { port: number; cut(): void; mend(): void; close(): void }

export async function startWorkerLine(target: { host: string; port: number }): Promise<WorkerLine> {
  const sockets = new Set<Socket>()
  let isCut = false
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
    client.pipe(upstream).pipe(client)
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
    mend() {
      isCut = false
    },
    close() {
      endAll()
      server.close()
    },
  }
}
