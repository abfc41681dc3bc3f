import ipaddr from 'ipaddr.js'
import { TokenBuckets, type Rate } from './token-buckets.ts'

/**
 * The limit of each address, for pages that anybody can send. Many phones share an address, so it is wide enough for a
 * class of parents and too narrow for a program.
 */
export class VisitorLimit {
  readonly #buckets = new TokenBuckets()
  readonly #rate: Rate

  constructor({ burst, perMinute }: { burst: number; perMinute: number }) {
    this.#rate = { burst, perSecond: perMinute / 60 }
  }

  /** Takes one token; false when there is none. */
  admits(ip: string, nowMs: number): boolean {
    return this.#buckets.take(visitorOf(ip), this.#rate, nowMs).isAdmitted
  }
}

/** A household has a whole network of IPv6 addresses to itself. */
function visitorOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}
