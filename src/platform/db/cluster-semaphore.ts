import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { endClient } from './client.ts'
import type { Queryable } from './database.ts'
import { toBursarError } from './errors.ts'

/**
 * Places that all processes over one database share: of each name there are so many, and each has one holder. They are
 * advisory locks of one connection, so those of a process that dies are free at once. Here it is first come, first
 * served, people before work, and a place that is left goes to the next who waits here. A process that holds none and
 * finds none free says so, and each that holds some gives one of them back when it is left.
 */
type Place = { number: number }

type Waiting = {
  most: number
  isPerson: boolean
  enter: (place: Place) => void
  fail: (error: unknown) => void
}

type Lane = {
  name: string
  held: Set<Place>
  /** Somebody is still in them, but the connection that held them is gone. */
  lost: Set<Place>
  waiting: Waiting[]
  isAsking: boolean
  /** Somebody elsewhere has none. */
  isOwing: boolean
  /** Gave one back for somebody elsewhere, who comes first. */
  mustRest: boolean
}

const CHANNEL = 'places'
const ASK_AGAIN_MS = 50
/** Without a single place for so long; another process may be frozen in all of them. */
const PATIENCE_MS = 60_000
const REST_MS = 2 * ASK_AGAIN_MS

const TAKE = `select number from unnest($2::int[]) number where pg_try_advisory_lock(hashtext($1), number) limit $3`
const GIVE_BACK = 'select pg_advisory_unlock(hashtext($1), $2)'
const SAY_THAT_NONE_IS_FREE = `select pg_notify('${CHANNEL}', $1)`

/** A host that vanishes is found out within half a minute; otherwise the database would wait for it for hours. */
const NOTICE_DEATH = `select set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`

/** All places were taken elsewhere, for longer than anybody should wait. */
export class NoSlot extends Error {}

/** Whether anybody, in any process, holds a place of this name. Takes none. */
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
  readonly #lanes = new Map<string, Lane>()
  #client: Promise<pg.Client> | null = null
  #isClosed = false

  constructor(open: () => pg.Client, patienceMs = PATIENCE_MS) {
    this.#open = open
    this.#patienceMs = patienceMs
  }

  /** Waits for one of the places numbered below `most`; answers what leaves it. */
  async enter(name: string, most: number, isPerson: boolean): Promise<() => void> {
    const lane = this.#laneOf(name)
    const { promise, resolve: enter, reject: fail } = Promise.withResolvers<Place>()
    const firstOfWork = isPerson ? lane.waiting.findIndex(one => !one.isPerson) : -1
    const position = firstOfWork === -1 ? lane.waiting.length : firstOfWork
    lane.waiting.splice(position, 0, { most, isPerson, enter, fail })
    void this.#ask(lane)
    const place = await promise
    return () => this.#pass(lane, place)
  }

  /** How many wait here. */
  waitingFor(name: string): number {
    return this.#lanes.get(name)?.waiting.length ?? 0
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#isClosed = true
    this.#loseAll()
    await client?.then(endClient).catch(() => {})
  }

  /** Asks for places until all who wait have one, or we hold all that there are. */
  async #ask(lane: Lane): Promise<void> {
    if (lane.isAsking) return
    lane.isAsking = true
    let aloneSince = performance.now()
    try {
      for (let [first] = lane.waiting; first !== undefined; [first] = lane.waiting) {
        if (lane.mustRest) await wait(REST_MS)
        lane.mustRest = false
        if (lane.held.size + lane.lost.size >= first.most) break
        if (!(await this.#take(lane, first.most))) await wait(ASK_AGAIN_MS)
        if (lane.held.size > 0) aloneSince = performance.now()
        else if (performance.now() - aloneSince > this.#patienceMs) throw new NoSlot()
      }
    } catch (error) {
      const failure = error instanceof NoSlot ? error : toBursarError(error)
      for (const { fail } of lane.waiting.splice(0)) fail(failure)
    }
    lane.isAsking = false
    this.#purgeIfOver(lane)
  }

  /** False when none was free. */
  async #take(lane: Lane, most: number): Promise<boolean> {
    const ours = new Set(Array.from(lane.held, ({ number }) => number))
    const others = Array.from({ length: most }, (_, number) => number).filter(number => !ours.has(number))
    const client = await (this.#client ?? this.#connect())
    try {
      const { rows } = await client.query<Place>(TAKE, [lane.name, others, lane.waiting.length])
      for (const place of rows) {
        lane.held.add(place)
        this.#pass(lane, place)
      }
      if (lane.held.size === 0) await client.query(SAY_THAT_NONE_IS_FREE, [lane.name])
      return rows.length > 0
    } catch (error) {
      // What it may have locked must not stay so.
      await client.end().catch(() => {})
      throw error
    }
  }

  /** A place is in our hands and nobody is in it. */
  #pass(lane: Lane, place: Place): void {
    if (lane.lost.delete(place)) return void this.#ask(lane)
    const [next] = lane.waiting
    if (next !== undefined && place.number < next.most && !lane.isOwing) {
      lane.waiting.shift()
      next.enter(place)
      return
    }
    lane.held.delete(place)
    lane.mustRest = lane.isOwing
    lane.isOwing = false
    void this.#giveBack(lane.name, place)
    void this.#ask(lane)
  }

  async #giveBack(name: string, { number }: Place): Promise<void> {
    const client = await this.#client?.catch(() => null)
    try {
      await client?.query(GIVE_BACK, [name, number])
    } catch {
      // With the connection the place is free, whatever went wrong.
      await client?.end().catch(() => {})
    }
  }

  #laneOf(name: string): Lane {
    const known = this.#lanes.get(name)
    if (known !== undefined) return known
    const lane = {
      name,
      held: new Set<Place>(),
      lost: new Set<Place>(),
      waiting: [],
      isAsking: false,
      isOwing: false,
      mustRest: false,
    }
    this.#lanes.set(name, lane)
    return lane
  }

  #purgeIfOver(lane: Lane): void {
    const isOver = lane.held.size + lane.lost.size + lane.waiting.length === 0
    if (isOver && this.#lanes.get(lane.name) === lane) this.#lanes.delete(lane.name)
  }

  /** With the connection; requests that wait here ask over another. */
  #loseAll(): void {
    this.#client = null
    for (const lane of this.#lanes.values()) {
      for (const place of lane.held) lane.lost.add(place)
      lane.held.clear()
      lane.isOwing = false
      lane.mustRest = false
      void this.#ask(lane)
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
    // A lost client says so twice, by error and by end; the second must not forget its successor.
    const forget = (): void => {
      if (this.#client === connecting) this.#loseAll()
    }
    client.on('error', forget)
    client.on('end', forget)
    client.on('notification', ({ payload = '' }) => {
      const lane = this.#lanes.get(payload)
      if (lane !== undefined && lane.held.size > 0) lane.isOwing = true
    })
    connecting.catch(forget)
    this.#client = connecting
    return connecting
  }
}
