/** What writing and restoring a backup must agree on: a gzipped tar, sealed, whose first entry says what it is. */
import { once, type EventEmitter } from 'node:events'

export const MANIFEST = 'bursar-backup.json'
export const CLUSTER = 'pg'
/** What the file is sealed for. */
export const PURPOSE = 'backup'

export type Manifest = {
  format: 1
  created_at: string
  pg_version: string
  /** The number of the last migration; null when Bursar has not created its tables yet. */
  schema_version: number | null
  /** Of the key that the secrets in it are encrypted with, so that a wrong one is noticed before a restore. */
  master_key_fingerprint: string | null
}

/** Null when the text is not a manifest this release understands. */
export function parseManifest(text: string): Manifest | null {
  try {
    const found = JSON.parse(text) as Partial<Manifest>
    const known = found.format === 1 && typeof found.created_at === 'string'
    if (!known || typeof found.pg_version !== 'string') return null
    const { schema_version = null, master_key_fingerprint = null } = found
    return { ...(found as Manifest), schema_version, master_key_fingerprint }
  } catch {
    return null
  }
}

/** The archive library's streams behave like Node's but are typed apart from them. */
type Sink = { write(data: unknown): boolean }

/**
 * Writes at the reader's pace, which keeps memory flat. The signal is needed because a stream destroyed
 * without an error never says 'drain' and would leave its writer waiting for ever.
 */
export async function writePaced(stream: Sink, chunk: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!stream.write(chunk)) await once(stream as unknown as EventEmitter, 'drain', { signal })
}

/**
 * Runs the two ends of a stream side by side and waits for both, so that no end still uses a file when the
 * caller cleans up. The first failure is the cause, what it does to the other end only an echo.
 */
export async function settleBoth<A, B>(
  one: Promise<A>,
  other: Promise<B>,
  onFailure: (error: Error) => void,
): Promise<[A, B]> {
  let cause: Error | null = null
  const note = (error: Error): void => {
    cause ??= error
    onFailure(error)
  }
  one.catch(note)
  other.catch(note)
  await Promise.allSettled([one, other])
  if (cause !== null) throw cause
  return Promise.all([one, other])
}
