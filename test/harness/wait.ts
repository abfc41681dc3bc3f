import { setTimeout as pause } from 'node:timers/promises'

/** Asks again until the answer is true, an error counting as no; gives up loudly. */
export async function waitFor(
  isTrue: () => Promise<boolean>,
  what: string,
  { limitMs = 30_000, everyMs = 20 }: { limitMs?: number; everyMs?: number } = {},
): Promise<void> {
  const deadline = Date.now() + limitMs
  let last: unknown
  while (Date.now() < deadline) {
    try {
      if (await isTrue()) return
    } catch (error) {
      last = error
    }
    await pause(everyMs)
  }
  throw new Error(`gave up waiting for ${what}`, { cause: last })
}
