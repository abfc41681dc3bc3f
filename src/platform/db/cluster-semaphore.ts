import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { endClient, onLost } from './client.ts'
import type { Queryable } from './transaction.ts'
import { toBursarError } from './errors.ts'

/**
 * Named semaphores that all processes over one database share: each has so many permits, and a permit one holder. They
 * are advisory locks of one connection, so those of a process that dies are free at once. Here it is first come, first
 * served, people before work, and a permit that is released goes to the next who waits here. A process that holds none and
 * finds none free says so, and each that holds some gives one of them back when it is released.
 */
type Permit = { number: number }

type Waiter = {
  most: number
  isPerson: boolean
  /** Gives up at once where none is free. */
  isImpatient: boolean
  grant: (permit: Permit) => void
  fail: (error: unknown) => void
}

type Semaphore = {
  name: string
  held: Set<Permit>
  /** Somebody still uses them, but the connection that held them is gone. */
  lost: Set<Permit>
  waiters: Waiter[]
  isAcquiring: boolean
  /** Another process has none. */
  mustGiveBack: boolean
  /** Gave one back for another process, which comes first. */
  mustPause: boolean
}

const CHANNEL = 'permits'
const TRY_AGAIN_MS = 50
/** After this long without a permit another process may be frozen with all of them. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 2 * TRY_AGAIN_MS

const TAKE = `select number from unnest($2::int[]) number where pg_try_advisory_lock(hashtext($1), number) limit $3`
const GIVE_BACK = 'select pg_advisory_unlock(hashtext($1), $2)'
const SAY_THAT_NONE_IS_FREE = `select pg_notify('${CHANNEL}', $1)`

/** A host that vanishes is found out within half a minute; otherwise the database would wait for it for hours. */
const NOTICE_DEATH = `select set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`

/** All permits were held elsewhere, for longer than anybody should wait. */
export class NoPermit extends Error {}

/** Whether anybody, in any process, holds a permit of this name. Takes none. */
export async function isHeld(db: Queryable, name: string): Promise<boolean> {
  const [row] = await db.query<{ isHeld: boolean }>(
    `select exists (select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())
       and classid::bigint = hashtext($1)::bigint & 4294967295) as "isHeld"`,
    [name],
  )
  return row?.isHeld === true
}

export class ClusterSemaphore {
  readonly #open: () => pg.Client
  readonly #patienceMs: number
  readonly #semaphores = new Map<string, Semaphore>()
  #client: Promise<pg.Client> | null = null
  #isClosed = false

  constructor(open: () => pg.Client, patienceMs = PATIENCE_MS) {
    this.#open = open
    this.#patienceMs = patienceMs
  }

  /** Waits for one of the permits numbered below `most`; answers what releases it. */
  async acquire(name: string, most: number, isPerson: boolean): Promise<() => void> {
    return this.#acquire(name, { most, isPerson, isImpatient: false })
  }

  /** The same for somebody who does not wait: null when none is free in any process. */
  async tryAcquire(name: string, most: number): Promise<(() => void) | null> {
    try {
      return await this.#acquire(name, { most, isPerson: false, isImpatient: true })
    } catch (error) {
      if (error instanceof NoPermit) return null
      throw error
    }
  }

  async #acquire(name: string, wanted: Omit<Waiter, 'grant' | 'fail'>): Promise<() => void> {
    const semaphore = this.#semaphoreOf(name)
    const { promise, resolve: grant, reject: fail } = Promise.withResolvers<Permit>()
    const firstOfWork = wanted.isPerson ? semaphore.waiters.findIndex(one => !one.isPerson) : -1
    const position = firstOfWork === -1 ? semaphore.waiters.length : firstOfWork
    semaphore.waiters.splice(position, 0, { ...wanted, grant, fail })
    void this.#acquireAll(semaphore)
    const permit = await promise
    return () => this.#grantNext(semaphore, permit)
  }

  /** How many wait here. */
  waitingFor(name: string): number {
    return this.#semaphores.get(name)?.waiters.length ?? 0
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#isClosed = true
    this.#loseAll()
    await client?.then(endClient).catch(() => {})
  }

  /** Takes permits until all who wait have one, or we hold all that there are. */
  async #acquireAll(semaphore: Semaphore): Promise<void> {
    if (semaphore.isAcquiring) return
    semaphore.isAcquiring = true
    let aloneSince = performance.now()
    try {
      for (let [first] = semaphore.waiters; first !== undefined; [first] = semaphore.waiters) {
        if (semaphore.mustPause) await wait(PAUSE_MS)
        semaphore.mustPause = false
        const areAllOurs = semaphore.held.size + semaphore.lost.size >= first.most
        if (areAllOurs && !first.isImpatient) break
        if (areAllOurs || !(await this.#take(semaphore, first))) {
          if (first.isImpatient) refuse(semaphore, first)
          else await wait(TRY_AGAIN_MS)
        }
        if (semaphore.held.size > 0) aloneSince = performance.now()
        else if (performance.now() - aloneSince > this.#patienceMs) throw new NoPermit()
      }
    } catch (error) {
      const failure = error instanceof NoPermit ? error : toBursarError(error)
      for (const { fail } of semaphore.waiters.splice(0)) fail(failure)
    }
    semaphore.isAcquiring = false
    this.#purgeIfOver(semaphore)
  }

  /** False when none was free. */
  async #take(semaphore: Semaphore, { most, isImpatient }: Waiter): Promise<boolean> {
    const ours = new Set(Array.from(semaphore.held, ({ number }) => number))
    const others = Array.from({ length: most }, (_, number) => number).filter(number => !ours.has(number))
    const client = await (this.#client ?? this.#connect())
    try {
      const { rows } = await client.query<Permit>(TAKE, [semaphore.name, others, semaphore.waiters.length])
      for (const permit of rows) {
        semaphore.held.add(permit)
        this.#grantNext(semaphore, permit)
      }
      if (semaphore.held.size === 0 && !isImpatient)
        await client.query(SAY_THAT_NONE_IS_FREE, [semaphore.name])
      return rows.length > 0
    } catch (error) {
      // It may hold the lock although we heard of a failure: ending the connection releases it.
      await client.end().catch(() => {})
      throw error
    }
  }

  /** We hold the permit and nobody uses it. */
  #grantNext(semaphore: Semaphore, permit: Permit): void {
    if (semaphore.lost.delete(permit)) return void this.#acquireAll(semaphore)
    const [next] = semaphore.waiters
    if (next !== undefined && permit.number < next.most && !semaphore.mustGiveBack) {
      semaphore.waiters.shift()
      next.grant(permit)
      return
    }
    semaphore.held.delete(permit)
    semaphore.mustPause = semaphore.mustGiveBack
    semaphore.mustGiveBack = false
    void this.#giveBack(semaphore.name, permit)
    void this.#acquireAll(semaphore)
  }

  async #giveBack(name: string, { number }: Permit): Promise<void> {
    const client = await this.#client?.catch(() => null)
    try {
      await client?.query(GIVE_BACK, [name, number])
    } catch {
      // Closing the connection frees the permit, whatever went wrong.
      await client?.end().catch(() => {})
    }
  }

  #semaphoreOf(name: string): Semaphore {
    const known = this.#semaphores.get(name)
    if (known !== undefined) return known
    const semaphore = {
      name,
      held: new Set<Permit>(),
      lost: new Set<Permit>(),
      waiters: [],
      isAcquiring: false,
      mustGiveBack: false,
      mustPause: false,
    }
    this.#semaphores.set(name, semaphore)
    return semaphore
  }

  #purgeIfOver(semaphore: Semaphore): void {
    const isOver = semaphore.held.size + semaphore.lost.size + semaphore.waiters.length === 0
    if (isOver && this.#semaphores.get(semaphore.name) === semaphore) this.#semaphores.delete(semaphore.name)
  }

  /** Permits are lost with their connection; waiters acquire theirs over another one. */
  #loseAll(): void {
    this.#client = null
    for (const semaphore of this.#semaphores.values()) {
      for (const permit of semaphore.held) semaphore.lost.add(permit)
      semaphore.held.clear()
      semaphore.mustGiveBack = false
      semaphore.mustPause = false
      void this.#acquireAll(semaphore)
    }
  }

  #connect(): Promise<pg.Client> {
    if (this.#isClosed) throw new Error('the process is stopping')
    const client = this.#open()
    const connecting = client
      .connect()
      .then(() => client.query(NOTICE_DEATH))
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(() => client)
    onLost(client, connecting, () => {
      if (this.#client === connecting) this.#loseAll()
    })
    client.on('notification', ({ payload = '' }) => {
      const semaphore = this.#semaphores.get(payload)
      if (semaphore !== undefined && semaphore.held.size > 0) semaphore.mustGiveBack = true
    })
    this.#client = connecting
    return connecting
  }
}

/** Unless a permit that was released here has reached it meanwhile. */
function refuse({ waiters }: Semaphore, waiter: Waiter): void {
  const position = waiters.indexOf(waiter)
  if (position === -1) return
  waiters.splice(position, 1)
  waiter.fail(new NoPermit())
}
