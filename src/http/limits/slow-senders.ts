import type { FastifyReply, FastifyRequest } from 'fastify'
import { REQUEST } from '../../platform/limits.rules.ts'
import { answerClientError, TOO_SLOW } from '../failures.ts'

const SWEEP_MS = 1_000

type Sent = Pick<FastifyRequest, 'raw' | 'upload'>
type Coming = { sinceMs: number; answer: FastifyReply['raw'] }

/**
 * Ends requests whose body does not come to an end. Node has one time for all requests, in which a file could not come
 * over a slow line; files that are under way have a limit of their own, see uploads.ts.
 */
export class SlowSenders {
  /** Since when each has been coming. */
  readonly #coming = new Map<Sent, Coming>()

  start(): () => void {
    const timer = setInterval(() => this.sweep(performance.now()), SWEEP_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** Requests without a body have come whole with their headers. */
  watch(request: Sent, { raw: answer }: Pick<FastifyReply, 'raw'>): void {
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
