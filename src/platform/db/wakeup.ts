import type pg from 'pg'
import { endClient } from './client.ts'

/**
 * Tells workers, in this process or another, that there is something to do. A notification is sent after the commit and at
 * most once in a few milliseconds: NOTIFY inside every transaction would make them queue for one lock. One may go
 * unheard (a lost connection, a process that dies before ringing), so listeners also poll now and then.
 */
export type WakeupChannel = 'deliveries' | 'imports' | 'messages'

const RING_AFTER_MS = 5
const LISTEN_AGAIN_MS = 1_000

export class Wakeups {
  readonly #notify: (names: WakeupChannel[]) => Promise<unknown>
  readonly #pending = new Set<WakeupChannel>()

  constructor(notify: (names: WakeupChannel[]) => Promise<unknown>) {
    this.#notify = notify
  }

  notify(name: WakeupChannel): void {
    if (this.#pending.size === 0) setTimeout(() => this.#ring(), RING_AFTER_MS).unref()
    this.#pending.add(name)
  }

  #ring(): void {
    const names = [...this.#pending]
    this.#pending.clear()
    this.#notify(names).catch(() => {})
  }
}

/** Begins and ends hearing one channel. */
export type WakeupSubscription = { start(): void; stop(): Promise<void> }

/**
 * Hears all channels that somebody in this process has subscribed to over one connection, open while there is a subscriber; a lost
 * connection is opened again.
 */
export class WakeupListener {
  readonly #open: () => pg.Client
  readonly #heard = new Map<WakeupChannel, Set<() => void>>()
  #client: pg.Client | null = null
  #hangUp: () => void = () => {}
  #running: Promise<void> | null = null

  constructor(open: () => pg.Client) {
    this.#open = open
  }

  subscribe(channel: WakeupChannel, onWakeup: () => void): WakeupSubscription {
    return {
      start: () => {
        const subscribers = this.#heard.get(channel) ?? new Set()
        this.#heard.set(channel, subscribers.add(onWakeup))
        // A connection that is there already has to be told; one that fails at it is opened again.
        void this.#client?.query(`listen ${channel}`).then(onWakeup, () => this.#hangUp())
        this.#running ??= this.#loop().finally(() => (this.#running = null))
      },
      stop: async () => {
        const subscribers = this.#heard.get(channel)
        subscribers?.delete(onWakeup)
        if (subscribers?.size === 0) this.#heard.delete(channel)
        if (this.#heard.size > 0) return
        this.#hangUp()
        await this.#running
      },
    }
  }

  async #loop(): Promise<void> {
    while (this.#heard.size > 0) {
      await this.#listen().catch(() => {})
      if (this.#heard.size > 0) await this.#pause()
    }
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, LISTEN_AGAIN_MS)
    this.#hangUp = resolve
    await promise
    clearTimeout(timer)
  }

  /** Ends when the connection does. */
  async #listen(): Promise<void> {
    const client = this.#open()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    client.on('error', () => resolve())
    client.on('end', () => resolve())
    client.on('notification', ({ channel }) => this.#wake(channel as WakeupChannel))
    // A client that is still connecting cannot be ended; it is, once it has or has not.
    this.#hangUp = resolve
    try {
      await client.connect()
      this.#client = client
      for (const channel of this.#heard.keys()) await client.query(`listen ${channel}`)
      // What was rung while nobody listened.
      for (const channel of this.#heard.keys()) this.#wake(channel)
      if (this.#heard.size > 0) await ended
    } finally {
      this.#client = null
      await endClient(client)
    }
  }

  #wake(channel: WakeupChannel): void {
    for (const onWakeup of this.#heard.get(channel) ?? []) onWakeup()
  }
}
