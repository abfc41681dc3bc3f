import { afterCall, afterStart, CLOSED, letsThrough, type Circuit } from './erp-circuit.rules.ts'
import { isErpWell, unavailableBecause, type ErpAnswer, type Unavailable } from './erp.rules.ts'

/**
 * Who may call which ERP now. Of this process only: so many processes, so many times the setting, and each learns by
 * itself that an ERP is away.
 */
export type Gate = {
  /** Calls at once are counted over one institute's settings that lead to the same origin. */
  lane: string
  maxCalls: number
  /** The settings that a circuit belongs to: wrong credentials of one branch must not stop another. */
  circuit: string
  /** Changed settings begin with a closed circuit. */
  version: number
  /** A person tests: not held up by an open circuit, and the first success closes it for everybody. */
  isTest: boolean
}

type Lane = { running: number; waiting: { maxCalls: number; enter: () => void }[] }

const MAX_WAITING = 20_000

export class ErpGate {
  readonly #now: () => number
  readonly #lanes = new Map<string, Lane>()
  readonly #circuits = new Map<string, { version: number; state: Circuit }>()

  /** The clock only goes forward; real time, whatever a sandbox's clock says. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** First come, first served. */
  async run(gate: Gate, call: () => Promise<ErpAnswer>): Promise<ErpAnswer> {
    if (!this.#letsThrough(gate)) return RESTING
    const lane = this.#laneOf(gate.lane)
    if (lane.waiting.length >= MAX_WAITING) return CROWDED
    if (lane.running < gate.maxCalls && lane.waiting.length === 0) lane.running++
    else await new Promise<void>(enter => lane.waiting.push({ maxCalls: gate.maxCalls, enter }))
    try {
      // Asked again: the circuit may have opened while this one waited.
      if (!this.#letsThrough(gate)) return RESTING
      if (!gate.isTest) this.#update(gate, state => afterStart(state, this.#now()))
      const answer = await call()
      const isWell = isErpWell(answer)
      if (isWell !== null) this.#update(gate, state => afterCall(state, isWell, this.#now()))
      return answer
    } finally {
      this.#leave(gate.lane, lane)
    }
  }

  #letsThrough(gate: Gate): boolean {
    return gate.isTest || letsThrough(this.#stateOf(gate), this.#now())
  }

  #stateOf({ circuit, version }: Gate): Circuit {
    const known = this.#circuits.get(circuit)
    return known?.version === version ? known.state : CLOSED
  }

  #update(gate: Gate, change: (state: Circuit) => Circuit): void {
    const known = this.#circuits.get(gate.circuit)
    // A call that began under older settings has nothing to say about these.
    if (known !== undefined && known.version > gate.version) return
    const state = change(this.#stateOf(gate))
    if (state.failuresInRow === 0) this.#circuits.delete(gate.circuit)
    else this.#circuits.set(gate.circuit, { version: gate.version, state })
  }

  #laneOf(name: string): Lane {
    const known = this.#lanes.get(name)
    if (known !== undefined) return known
    const lane: Lane = { running: 0, waiting: [] }
    this.#lanes.set(name, lane)
    return lane
  }

  #leave(name: string, lane: Lane): void {
    lane.running--
    // More than one, when the setting was raised meanwhile.
    for (
      let [next] = lane.waiting;
      next !== undefined && lane.running < next.maxCalls;
      [next] = lane.waiting
    ) {
      lane.waiting.shift()
      lane.running++
      next.enter()
    }
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(name)
  }
}

const RESTING: Unavailable = unavailableBecause(
  'resting',
  'The ERP has not answered lately; it is asked again within 30 seconds.',
)
const CROWDED: Unavailable = unavailableBecause(
  'crowded',
  `${MAX_WAITING} calls wait for this ERP already; raise max_calls or ask later.`,
)
