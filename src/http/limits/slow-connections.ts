import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { REQUEST } from '../../platform/limits.rules.ts'
import { answerClientError, TOO_SLOW } from '../failures.ts'

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

const LOOK_EVERY_MS = 1_000

type SentRequest = Pick<FastifyRequest, 'raw' | 'upload'>
type ComingRequest = { sinceMs: number; answer: FastifyReply['raw'] }

/**
 * Ends requests whose body does not come to an end. Node has one time for all requests, in which a file could not come
 * over a slow line; files that are under way have a limit of their own, see uploads.ts.
 */
export class SlowSenders {
  /** Since when each has been coming. */
  readonly #coming = new Map<SentRequest, ComingRequest>()

  start(): () => void {
    const timer = setInterval(() => this.sweep(performance.now()), LOOK_EVERY_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** Requests without a body have come whole with their headers. */
  watch(request: SentRequest, { raw: answer }: Pick<FastifyReply, 'raw'>): void {
    const { headers } = request.raw
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
    this.#coming.set(request, { sinceMs: performance.now(), answer })
    const forget = (): void => void this.#coming.delete(request)
    // A request that was answered early may still be sending its body, so the answer does not end the watch.
    request.raw.once('end', forget).once('close', forget)
  }

  /** Answers how many it ended. */
  sweep(nowMs: number): number {
    let ended = 0
    for (const [{ raw, upload }, { sinceMs, answer }] of this.#coming) {
      if (upload !== null || nowMs - sinceMs < REQUEST.seconds * 1_000) continue
      ended++
      if (answer.headersSent) raw.socket.destroy()
      else answerClientError({ code: TOO_SLOW }, raw.socket)
    }
    return ended
  }
}
