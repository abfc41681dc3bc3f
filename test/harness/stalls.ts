import { threadCpuUsage } from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const TICK_MS = 2

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * The longest that this thread computed without a turn of its event loop, in milliseconds of processor time: a machine
 * that is busy with something else makes it no longer.
 */
export async function worstStall(act: () => Promise<unknown>): Promise<number> {
  // What the test itself left behind is not to be collected meanwhile.
  collectGarbage()
  let worst = 0
  let last = usedMs()
  const look = (): void => {
    const now = usedMs()
    worst = Math.max(worst, now - last)
    last = now
  }
  const timer = setInterval(look, TICK_MS)
  try {
    await act()
    look()
  } finally {
    clearInterval(timer)
  }
  return worst
}

function usedMs(): number {
  const { user, system } = threadCpuUsage()
  return (user + system) / 1_000
}
