import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { endClient } from './client.ts'

/**
 * Tells workers, in this process or another, that there is something to do. A notification is sent after the commit and at
 * most once in a few milliseconds: NOTIFY inside every transaction would make them queue for one lock. One may go
 * unheard (a lost connection, a process that dies before ringing), so listeners also poll now and then.
 */
export type WakeupChannel = 'deliveries' | 'imports'

const RING_AFTER_MS = 5
const LISTEN_AGAIN_MS = 1_000

export class Wakeups {
  readonly #notify: (name: WakeupChannel) => Promise<unknown>
  readonly #notified = new Set<WakeupChannel>()

  constructor(notify: (name: WakeupChannel) => Promise<unknown>) {
    this.#notify = notify
  }

  notify(name: WakeupChannel): void {
    if (this.#notified.has(name)) return
    this.#notified.add(name)
    setTimeout(() => {
      this.#notified.delete(name)
      this.#notify(name).catch(() => {})
    }, RING_AFTER_MS).unref()
  }
}

/** Listens on one channel over a connection of its own until it is stopped; a lost connection is opened again. */
export class WakeupListener {
  readonly #open: () => pg.Client
  readonly #name: WakeupChannel
  readonly #onWakeup: () => void
  #hangUp: () => void = () => {}
  #stopped = false
  #running: Promise<void> | null = null
  readonly #stop = new AbortController()

  constructor(open: () => pg.Client, name: WakeupChannel, onWakeup: () => void) {
    this.#open = open
    this.#name = name
    this.#onWakeup = onWakeup
  }

  start(): void {
    this.#running ??= this.#loop()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stop.abort()
    this.#hangUp()
    await this.#running
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) {
      await this.#listen().catch(() => {})
      if (!this.#stopped)
        await wait(LISTEN_AGAIN_MS, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  /** Ends when the connection does. */
  async #listen(): Promise<void> {
    const client = this.#open()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    client.on('error', () => resolve())
    client.on('end', () => resolve())
    client.on('notification', () => this.#onWakeup())
    // A client that is still connecting cannot be ended; it is, once it has or has not.
    this.#hangUp = resolve
    try {
      await client.connect()
      await client.query(`listen ${this.#name}`)
      // What was rung while nobody listened.
      this.#onWakeup()
      if (!this.#stopped) await ended
    } finally {
      await endClient(client)
    }
  }
}
