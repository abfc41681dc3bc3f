import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long an answer may wait for its reader, who has to take at least `MIN_BYTES` of it in that time. */
export const MAX_STALL_MS = 120_000
const MIN_BYTES = 65_536
const SWEEP_MS = 10_000

type Progress = { bytes: number; sinceMs: number }

/**
 * Closes connections whose reader does not read. Node limits how long a request may take to arrive, not how long its
 * answer may take to leave, so a client that opens many connections and reads none would hold memory for ever.
 */
export class SlowReaders {
  readonly #waiting = new Map<Socket, Progress>()
  readonly #open = new Set<Socket>()

  constructor(server: Server) {
    const track = (socket: Socket): void => {
      this.#open.add(socket)
      socket.once('close', () => {
        this.#open.delete(socket)
        this.#waiting.delete(socket)
      })
    }
    // Under TLS the plain socket emits too; its own queue tells the same.
    server.on('connection', track)
  }

  start(): () => void {
    const timer = setInterval(() => this.sweep(performance.now()), SWEEP_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** Answers how many it closed. */
  sweep(nowMs: number): number {
    let closed = 0
    for (const socket of this.#open) {
      if (socket.writableLength === 0) {
        this.#waiting.delete(socket)
        continue
      }
      const known = this.#waiting.get(socket)
      if (known === undefined || socket.bytesWritten - known.bytes >= MIN_BYTES) {
        this.#waiting.set(socket, { bytes: socket.bytesWritten, sinceMs: nowMs })
      } else if (nowMs - known.sinceMs >= MAX_STALL_MS) {
        socket.destroy()
        closed++
      }
    }
    return closed
  }
}
