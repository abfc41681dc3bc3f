import ipaddr from 'ipaddr.js'

/**
 * A token bucket per address and process, for pages that anybody can send. Many phones share an address, so it is wide
 * enough for a class of parents and too narrow for a program. Whoever has been away longest is forgotten first.
 */
const MAX_REMEMBERED = 10_000

type Bucket = { tokens: number; filledAt: number }

export class VisitorLimit {
  readonly #buckets = new Map<string, Bucket>()
  readonly #burst: number
  readonly #perSecond: number

  constructor({ burst, perMinute }: { burst: number; perMinute: number }) {
    this.#burst = burst
    this.#perSecond = perMinute / 60
  }

  /** Takes one token; false when there is none. */
  admits(ip: string, nowMs: number): boolean {
    const visitor = visitorOf(ip)
    const { tokens, filledAt } = this.#buckets.get(visitor) ?? { tokens: this.#burst, filledAt: nowMs }
    const filled = Math.min(this.#burst, tokens + ((nowMs - filledAt) / 1_000) * this.#perSecond)
    const isAdmitted = filled >= 1
    // Deleting first moves the entry to the end, so the oldest is always the first.
    this.#buckets.delete(visitor)
    this.#buckets.set(visitor, { tokens: isAdmitted ? filled - 1 : filled, filledAt: nowMs })
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > MAX_REMEMBERED && oldest !== undefined) this.#buckets.delete(oldest)
    return isAdmitted
  }
}

/** A household has a whole network of IPv6 addresses to itself. */
function visitorOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}
