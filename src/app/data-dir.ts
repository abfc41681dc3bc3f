import { lockDataDir } from '../platform/embedded-postgres/data-dir-lock.ts'
import type { EmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import type { Log } from '../platform/log.ts'

/** One Bursar per data folder: held from the start to the stop, also over a death of the server that keeps the lock. */
export type KeptDataDirLock = { release(): Promise<void> }

type Lock = NonNullable<Awaited<ReturnType<typeof lockDataDir>>>

/** Null when another Bursar holds it. */
export async function keepDataDirLocked(
  embedded: EmbeddedPostgres,
  log: Log,
): Promise<KeptDataDirLock | null> {
  const first = await lockOnceUp(embedded)
  if (first === null) return null
  let current: Lock = first
  let isReleased = false
  const takeAgain = async (): Promise<void> => {
    await current.lost
    if (isReleased) return
    const again = await lockOnceUp(embedded)
    if (again === null) {
      log.error('another Bursar took the data folder while its PostgreSQL was down; stop one of the two')
      return
    }
    current = again
    await takeAgain()
  }
  takeAgain().catch((err: unknown) => {
    if (!isReleased) log.error({ err }, 'lost the lock on the data folder')
  })
  return {
    async release() {
      isReleased = true
      await current.release()
    },
  }
}

/** A command that is just ending may stop the server between our attaching and our lock: then it is started again. */
async function lockOnceUp(embedded: EmbeddedPostgres): Promise<Lock | null> {
  try {
    return await lockDataDir(embedded.connection)
  } catch {
    await embedded.ensureRunning()
    return lockDataDir(embedded.connection)
  }
}
