import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../../platform/context.ts'
import type { Log } from '../../platform/log.ts'
import { advanceImport } from './steps.service.ts'
import { findUnfinished } from '../imports.store.ts'

/**
 * Goes on with whatever imports are unfinished, one step each in turn, so that a large file does not keep a small one
 * waiting. It sleeps until it is notified or a few seconds have passed. Processes that do this side by side share the work:
 * a step holds its import, and others pass it by.
 */
const AT_ONCE = 20
const LOOK_EVERY_MS = 5_000
const AFTER_FAILURE_MS = 2_000

export class ImportEngine {
  readonly #ctx: Context
  readonly #log: Log
  readonly #listener: { start(): void; stop(): Promise<void> }
  readonly #stop = new AbortController()
  #ring: () => void = () => {}
  #running: Promise<void> | null = null

  constructor(ctx: Context, log: Log) {
    this.#ctx = ctx
    this.#log = log
    this.#listener = ctx.db.listen('imports', () => this.#ring())
  }

  start(): void {
    if (this.#running !== null) return
    this.#listener.start()
    this.#running = this.#loop()
  }

  /** A step under way is given up and undone; the next process begins it anew. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#ring()
    await this.#listener.stop()
    await this.#running
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const { promise: notified, resolve } = Promise.withResolvers<void>()
      this.#ring = resolve
      const done = await this.#advanceEach()
      if (done === 'some') continue
      const sleepMs = done === 'failed' ? AFTER_FAILURE_MS : LOOK_EVERY_MS
      await Promise.race([notified, wait(sleepMs, undefined, { signal }).catch(() => {})])
    }
  }

  /** One that fails keeps no other back. */
  async #advanceEach(): Promise<'some' | 'none' | 'failed'> {
    let isMoved = false
    let isFailed = false
    const attempt = async <Result>(act: () => Promise<Result>): Promise<Result | null> => {
      try {
        return await act()
      } catch (err) {
        isFailed = true
        const { aborted } = this.#stop.signal
        if (!aborted) this.#log.warn({ err }, 'import interrupted, will be retried')
        return null
      }
    }
    const { signal } = this.#stop
    for (const key of (await attempt(() => findUnfinished(this.#ctx.db, AT_ONCE))) ?? []) {
      if (signal.aborted) break
      const step = await attempt(() => advanceImport(this.#ctx, key, { signal }))
      isMoved ||= step === 'done'
    }
    return isMoved ? 'some' : isFailed ? 'failed' : 'none'
  }
}
