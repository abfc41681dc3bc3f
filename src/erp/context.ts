import type { CallCounts } from '../platform/http-client/call-counts.ts'
import type { Context } from '../platform/context.ts'
import type { HttpClient } from '../platform/http-client/http-client.ts'
import type { FieldProblem } from '../platform/errors.ts'
import {
  type ScheduleRow,
  afterCall,
  afterStart,
  CLOSED,
  letsThrough,
  isErpWell,
  unavailableBecause,
  type Circuit,
  type ErpAnswer,
  type Unavailable,
} from './erp.rules.ts'
import { NoPermit, type ClusterSemaphore } from '../platform/db/cluster-semaphore.ts'

/** How ERPs are reached from this process. */
type ErpCalls = {
  httpClient: HttpClient
  callLimiter: ErpCallLimiter
  /** One ERP call in all may take this long. */
  timeoutMs: number
  /** Where calls are counted, by the institute. */
  calls: CallCounts
  /** Lists where a plan of the student would not follow a schedule. */
  findPlanDifferences(
    student: { instituteId: number; studentId: string },
    rows: readonly ScheduleRow[],
  ): Promise<FieldProblem[]>
}

/** What services stand on that may ask an ERP. */
export type ErpContext = Context & { readonly erp: ErpCalls }

/**
 * Who may call which ERP now. Calls at once are counted over all processes; that an ERP is away each learns by itself.
 */
export type CallLimit = {
  /** Calls at once are counted over one institute's settings that lead to the same origin. */
  target: string
  maxCalls: number
  /** The settings that a circuit belongs to: wrong credentials of one branch must not stop another. */
  circuit: string
  /** Changed settings begin with a closed circuit. */
  version: number
  /** A person tests: not held up by an open circuit, and the first success closes it for everybody. */
  isTest: boolean
  /** Somebody waits for the answer: before work that nobody waits for. */
  isForPerson: boolean
}

/** Limits the calls that wait for one ERP: each is a promise in memory, and the last would wait for an hour or more. */
const MAX_WAITING = 20_000

export class ErpCallLimiter {
  readonly #semaphore: ClusterSemaphore
  readonly #now: () => number
  readonly #circuits = new Map<string, { version: number; state: Circuit }>()

  /** `now` in ms of the domain's clock: moving a sandbox's clock ends the pause of an ERP that failed. */
  constructor(semaphore: ClusterSemaphore, now: () => number) {
    this.#semaphore = semaphore
    this.#now = now
  }

  async run(limit: CallLimit, call: () => Promise<ErpAnswer>): Promise<ErpAnswer> {
    if (!this.#letsThrough(limit)) return RESTING
    const name = `calls to the ERP of ${limit.target}`
    if (this.#semaphore.waitingFor(name) >= MAX_WAITING) return CROWDED
    const release = await this.#acquire(name, limit)
    if (release === null) return OCCUPIED
    try {
      // Asked again: the circuit may have opened while this one waited.
      if (!this.#letsThrough(limit)) return RESTING
      if (!limit.isTest) this.#update(limit, state => afterStart(state, this.#now()))
      const answer = await call()
      const isWell = isErpWell(answer)
      if (isWell !== null) this.#update(limit, state => afterCall(state, isWell, this.#now()))
      return answer
    } finally {
      release()
    }
  }

  async #acquire(name: string, { maxCalls, isForPerson }: CallLimit): Promise<(() => void) | null> {
    try {
      return await this.#semaphore.acquire(name, maxCalls, isForPerson)
    } catch (error) {
      if (error instanceof NoPermit) return null
      throw error
    }
  }

  #letsThrough(limit: CallLimit): boolean {
    return limit.isTest || letsThrough(this.#stateOf(limit), this.#now())
  }

  #stateOf({ circuit, version }: CallLimit): Circuit {
    const known = this.#circuits.get(circuit)
    return known?.version === version ? known.state : CLOSED
  }

  #update(limit: CallLimit, change: (state: Circuit) => Circuit): void {
    const known = this.#circuits.get(limit.circuit)
    // A call that began under older settings has nothing to say about these.
    if (known !== undefined && known.version > limit.version) return
    const state = change(this.#stateOf(limit))
    if (state.failuresInRow === 0) this.#circuits.delete(limit.circuit)
    else this.#circuits.set(limit.circuit, { version: limit.version, state })
  }
}

const RESTING: Unavailable = unavailableBecause(
  'resting',
  'The ERP has not answered lately; it is asked again within 30 seconds.',
)
const OCCUPIED: Unavailable = unavailableBecause(
  'crowded',
  'Other processes have kept all calls to this ERP to themselves; it is asked again later.',
)
const CROWDED: Unavailable = unavailableBecause(
  'crowded',
  `${MAX_WAITING} calls wait for this ERP already; raise max_calls or ask later.`,
)
