import ipaddr from 'ipaddr.js'

/** Why an address is not connected to, in words for the person who gave it; null when it may be. */
export type AddressPolicy = (address: string) => string | null

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Cidr = [Address, number]

/** Allows anything, because the operator configured the address himself. */
export const anyAddress: AddressPolicy = () => null

/**
 * Judges addresses that others chose. One at which no honest receiver can be is refused in any mode and cannot be allowed;
 * our own machine and network may be called by a sandbox, in live mode only as far as `allowed` (CIDRs) names them.
 */
export function addressPolicy(options: {
  mode: 'sandbox' | 'live'
  allowed: readonly string[]
}): AddressPolicy {
  const allowed = options.allowed.map(readCidr)
  return text => {
    if (!ipaddr.isValid(text)) return 'not an address'
    const address = unwrap(ipaddr.parse(text))
    if (NEVER.some(cidr => isWithin(address, cidr))) return 'a metadata address'
    const range: string = address.range()
    if (range === 'unicast') return isGlobal(address) ? null : 'a reserved address'
    const local = LOCAL[range]
    if (local === undefined) return REFUSED[range] ?? 'a reserved address'
    if (options.mode === 'sandbox' || allowed.some(cidr => isWithin(address, cidr))) return null
    return local
  }
}

/**
 * What is wrong with a host that was typed in for live mode, as far as it says so itself: an address, or `localhost`. Other
 * names are resolved when we connect.
 */
export function hostProblem(
  url: string,
  { mode, addressPolicy: policy }: { mode: 'sandbox' | 'live'; addressPolicy: AddressPolicy },
): string | null {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '')
  const address = host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : host
  const refusal = mode === 'live' && ipaddr.isValid(address) ? policy(address) : null
  if (refusal === null) return null
  return `is ${refusal}, which is not reached in live mode; use a public address (one of a private network only if the operator names it in OUTBOUND_ALLOW)`
}

export function isCidr(text: string): boolean {
  return ipaddr.isValidCIDR(text)
}

const LOCAL: Readonly<Record<string, string>> = {
  loopback: 'a loopback address',
  private: 'an address of a private network',
  carrierGradeNat: 'an address of a private network',
  uniqueLocal: 'an address of a private network',
}

const REFUSED: Readonly<Record<string, string>> = {
  linkLocal: 'a link-local address',
  unspecified: 'an unspecified address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
}

/** Where clouds answer to their own machines outside the link-local range, some of it public by its number. */
const NEVER: readonly Cidr[] = [
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
].map(readCidr)

const MAPPED: Cidr = ipaddr.parseCIDR('::ffff:0:0/96')
/** Networks without IPv4 reach every IPv4 host through this prefix, so it cannot be refused outright. */
const NAT64: Cidr = ipaddr.parseCIDR('64:ff9b::/96')
const GLOBAL_V6: Cidr = ipaddr.parseCIDR('2000::/3')

/**
 * The IPv4 address that a packet to it ends up at. 6to4, Teredo and the IPv4-compatible form lead to one too; nobody
 * serves there any more, and they stay IPv6 here and are refused as reserved.
 */
function unwrap(address: Address): Address {
  if (!isWithin(address, MAPPED) && !isWithin(address, NAT64)) return address
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

/** The rest of IPv6 is not given out, whether or not it has a name. */
function isGlobal(address: Address): boolean {
  return address.kind() === 'ipv4' || isWithin(address, GLOBAL_V6)
}

function isWithin(address: Address, [network, bits]: Cidr): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

/** Throws when it is none: a typing error in the configuration must not go unnoticed. */
function readCidr(text: string): Cidr {
  if (!ipaddr.isValidCIDR(text)) throw new Error(`${text} is not an address range such as 10.20.0.0/16`)
  return ipaddr.parseCIDR(text)
}
