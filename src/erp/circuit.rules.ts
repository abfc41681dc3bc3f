/**
 * The circuit of one ERP. Closed it lets everything through and counts failures in a row; at the fifth it opens: then
 * nobody waits 15 seconds for an ERP that does not answer, and an ERP that struggles gets one call every 30 seconds.
 * The first answer closes it. Times are in ms of the domain's clock.
 */
export type Circuit = {
  failuresInRow: number
  /** Only while it is open. */
  nextProbeAt: number
}

export const CLOSED: Circuit = { failuresInRow: 0, nextProbeAt: 0 }

const OPENS_AFTER = 5
const PROBE_EVERY_MS = 30_000

export function isOpen(circuit: Circuit): boolean {
  return circuit.failuresInRow >= OPENS_AFTER
}

/** Whether a call may go out now. A probe further away than the pause means that the clock was set back. */
export function letsThrough(circuit: Circuit, now: number): boolean {
  return !isOpen(circuit) || now >= circuit.nextProbeAt || circuit.nextProbeAt - now > PROBE_EVERY_MS
}

/** A call goes out: through an open circuit it is the probe, and the next waits its time. */
export function afterStart(circuit: Circuit, now: number): Circuit {
  return isOpen(circuit) ? { ...circuit, nextProbeAt: now + PROBE_EVERY_MS } : circuit
}

export function afterCall(circuit: Circuit, isWell: boolean, now: number): Circuit {
  if (isWell) return CLOSED
  const failuresInRow = circuit.failuresInRow + 1
  // Calls that were under way when it opened end later, and do not push the probe away.
  const nextProbeAt = failuresInRow === OPENS_AFTER ? now + PROBE_EVERY_MS : circuit.nextProbeAt
  return { failuresInRow, nextProbeAt }
}
