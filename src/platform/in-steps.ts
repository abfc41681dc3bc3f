import { setImmediate as turn } from 'node:timers/promises'

/** How long a computation goes on before requests get their turn. */
const SLICE_MS = 5

/** A long computation that can stop between any two steps. Rules write it as a generator, which needs no clock. */
export type Steps<Result> = Generator<undefined, Result, undefined>

export async function runInSteps<Result>(steps: Steps<Result>): Promise<Result> {
  let since = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (performance.now() - since < SLICE_MS) continue
    await turn()
    since = performance.now()
  }
}
