/** In real time; tests shorten it. */
export type JobTiming = {
  /** A job looks at least so often while anything is written, whatever it knows about what falls due. */
  longestPauseMs: number
  /** And so often while nothing is. */
  quietPauseMs: number
  /** From a notification to the look: what comes in the meantime is taken in one batch. */
  wakeupDelayMs: number
  /** What is due and could not be claimed is held by somebody else: asking without a pause would only keep us busy. */
  heldPauseMs: number
  firstBackOffMs: number
  longestBackOffMs: number
  purgeEveryMs: number
  /** The first purge waits for a random part of it, so that processes that start together do not purge together. */
  firstPurgeWithinMs: number
}

export const STANDARD_TIMING: JobTiming = {
  longestPauseMs: 5_000,
  quietPauseMs: 60_000,
  wakeupDelayMs: 200,
  heldPauseMs: 500,
  firstBackOffMs: 500,
  longestBackOffMs: 15_000,
  purgeEveryMs: 3_600_000,
  firstPurgeWithinMs: 60_000,
}

/** Doubles with each failure in a row; between half and all of it, so that jobs that failed together spread out. */
export function backOffMs(failuresInARow: number, timing: JobTiming): number {
  const { firstBackOffMs, longestBackOffMs } = timing
  const whole = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (failuresInARow - 1))
  return whole * (0.5 + Math.random() / 2)
}
