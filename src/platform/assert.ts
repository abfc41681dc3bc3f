/** Closes a `switch` over a union: a new member that nobody handles fails to compile. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${String(value)}`)
}

/** States what the code relies on; a failure is our bug, never the caller's. */
export function assert(condition: unknown, reason: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${reason}`)
}
