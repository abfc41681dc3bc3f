import ipaddr from 'ipaddr.js'

/** Who counts as one stranger: an address, or of IPv6 the /64 that a household has to itself. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}
