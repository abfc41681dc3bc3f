import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { endClient } from './client.ts'
import type { Take, WakeupChannel } from './transaction.ts'

const RING_AFTER_MS = 5
const LISTEN_AGAIN_MS = 1_000

type WakeupOptions = {
  /** Wakes those who listen in this process, who need not wait for the database to tell them. */
  wakeHere: (name: WakeupChannel) => void
  /** Whether this process does all that is due on a channel as soon as it is woken. */
  isDoneHere: (name: WakeupChannel) => boolean
  /** Tells other processes. */
  notify: (names: WakeupChannel[]) => Promise<unknown>
}

/**
 * Tells workers, in this process or another, that there is something to do. Others are told only of what this process does
 * not do by itself: awake, they would ask for rows that are taken. A notification is sent after the commit and at
 * most once in a few milliseconds: NOTIFY inside every transaction would make them queue for one lock. One may go
 * unheard (a lost connection, a process that dies before ringing), so listeners also poll now and then.
 */
export class Wakeups {
  readonly #options: WakeupOptions
  readonly #pending = new Set<WakeupChannel>()
  /** Notified once more since it was woken. */
  readonly #again = new Set<WakeupChannel>()

  constructor(options: WakeupOptions) {
    this.#options = options
  }

  /** The first wakes at once; what follows within a few milliseconds wakes together. */
  notify(name: WakeupChannel): void {
    const isFirst = this.#pending.size === 0
    if (isFirst) setTimeout(() => this.#ring(), RING_AFTER_MS).unref()
    if (!this.#pending.has(name)) this.#options.wakeHere(name)
    else this.#again.add(name)
    this.#pending.add(name)
  }

  #ring(): void {
    const names = [...this.#pending].filter(name => !this.#options.isDoneHere(name))
    this.#pending.clear()
    for (const name of this.#again) this.#options.wakeHere(name)
    this.#again.clear()
    if (names.length > 0) this.#options.notify(names).catch(() => {})
  }
}

/** Begins and ends hearing one channel. */
export type WakeupSubscription = { start(): void; stop(): Promise<void> }

/**
 * Hears all channels that somebody in this process has subscribed to over one connection, open while there is a subscriber; a lost
 * connection is opened again.
 */
export class WakeupListener {
  /** Marks our own notifications: they are heard here without the database, and ignored when it repeats them. */
  readonly token = randomUUID()
  readonly #open: () => pg.Client
  readonly #heard = new Map<WakeupChannel, Set<() => void>>()
  readonly #takers = new Map<WakeupChannel, Take<never>>()
  #client: pg.Client | null = null
  #hangUp: () => void = () => {}
  #running: Promise<void> | null = null

  constructor(open: () => pg.Client) {
    this.#open = open
  }

  /** The subscriber in this process that takes work as it is made; null without one. */
  takerOf<Work>(channel: WakeupChannel): Take<Work> | null {
    return (this.#takers.get(channel) as Take<Work> | undefined) ?? null
  }

  /** Somebody in this process hears it, and leaves nothing for others: what a taker leaves is too much for one process. */
  isDoneHere(channel: WakeupChannel): boolean {
    return this.#heard.has(channel) && !this.#takers.has(channel)
  }

  subscribe(channel: WakeupChannel, onWakeup: () => void, take?: Take<never>): WakeupSubscription {
    return {
      start: () => {
        if (take !== undefined) this.#takers.set(channel, take)
        const subscribers = this.#heard.get(channel) ?? new Set()
        this.#heard.set(channel, subscribers.add(onWakeup))
        // A connection that is there already has to be told; one that fails at it is opened again.
        void this.#client?.query(`listen ${channel}`).then(onWakeup, () => this.#hangUp())
        this.#running ??= this.#loop().finally(() => (this.#running = null))
      },
      stop: async () => {
        if (this.#takers.get(channel) === take) this.#takers.delete(channel)
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
    client.on('notification', ({ channel, payload }) => {
      if (payload !== this.token) this.wake(channel as WakeupChannel)
    })
    // A client that is still connecting cannot be ended; it is, once it has or has not.
    this.#hangUp = resolve
    try {
      await client.connect()
      this.#client = client
      for (const channel of this.#heard.keys()) await client.query(`listen ${channel}`)
      // Notifications were lost while nobody listened, so everybody looks once.
      for (const channel of this.#heard.keys()) this.wake(channel)
      if (this.#heard.size > 0) await ended
    } finally {
      this.#client = null
      await endClient(client)
    }
  }

  /** Wakes the subscribers of this process. */
  wake(channel: WakeupChannel): void {
    for (const onWakeup of this.#heard.get(channel) ?? []) onWakeup()
  }
}
