import assert from 'node:assert/strict'
import { threadCpuUsage } from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const TICK_MS = 2
const MAX_STALL_MS = 50

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * The longest that this thread computed without a turn of its event loop, in milliseconds of processor time: a machine
 * that is busy with something else makes it no longer.
 */
export class StallWatch {
  #worst = 0
  #last: number
  readonly #timer: NodeJS.Timeout

  constructor() {
    // What the test itself left behind is not to be collected meanwhile.
    collectGarbage()
    this.#last = usedMs()
    this.#timer = setInterval(() => this.#look(), TICK_MS)
  }

  /** Since the last time. */
  take(): number {
    this.#look()
    const worst = this.#worst
    this.#worst = 0
    return worst
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = usedMs()
    this.#worst = Math.max(this.#worst, now - this.#last)
    this.#last = now
  }
}

export async function worstStall(act: () => Promise<unknown>): Promise<number> {
  const watch = new StallWatch()
  try {
    await act()
    return watch.take()
  } finally {
    watch.stop()
  }
}

/** What is compiled and allocated once is not the file's doing, so the best of three counts. */
export async function assertNoStall(act: () => Promise<unknown>, during = 'this'): Promise<void> {
  const stalls: number[] = []
  for (let tries = 0; tries < 3 && stalls.every(stall => stall > MAX_STALL_MS); tries++)
    stalls.push(await worstStall(act))
  const shown = stalls.map(stall => Math.round(stall)).join(', ')
  assert.ok(
    stalls.some(stall => stall <= MAX_STALL_MS),
    `requests waited ${shown} ms for ${during}`,
  )
}

function usedMs(): number {
  const { user, system } = threadCpuUsage()
  return (user + system) / 1_000
}
