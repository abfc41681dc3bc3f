import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs until Ctrl-C or SIGTERM, then ends by that very signal once everything is closed: a shell that runs a script
 * learns from it that the script is to end too. A second signal ends the process whatever it is doing.
 */
export async function untilStopped(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController()
  let stoppedBy: NodeJS.Signals | null = null
  const stop = (signal: NodeJS.Signals): void => {
    stoppedBy = signal
    stopping.abort()
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    await run(stopping.signal)
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
  if (stoppedBy !== null) process.kill(process.pid, stoppedBy)
}

/** Ends early when it is all over. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}
