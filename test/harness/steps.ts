import type { Steps } from '../../src/platform/concurrency.ts'

/** The result of a computation that a service would run with requests between its steps. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
