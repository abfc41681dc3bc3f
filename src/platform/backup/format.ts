import { once, type EventEmitter } from 'node:events'
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { Pack } from 'tar-stream'

/** What writing and restoring a backup must agree on: a gzipped tar, sealed, whose first entry says what it is. */

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
  /** Fingerprint of the key that encrypts the backup's secrets, so that a wrong key is noticed before a restore. */
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

const CHUNK_BYTES = 256 * 1024

/** The archive being written; entries appear in it in the order of the calls. */
export class Archive {
  readonly #pack: Pack
  readonly #signal: AbortSignal
  readonly #onProgress: (bytesRead: number) => void
  #bytesRead = 0

  constructor(pack: Pack, signal: AbortSignal, onProgress: (bytesRead: number) => void) {
    this.#pack = pack
    this.#signal = signal
    this.#onProgress = onProgress
  }

  async addFolder(name: string): Promise<void> {
    this.#signal.throwIfAborted()
    this.#pack.entry({ name, type: 'directory', mode: 0o700 }).on('error', () => {})
  }

  addText(name: string, text: string): Promise<void> {
    return this.addBytes(name, Buffer.from(text))
  }

  addBytes(name: string, bytes: Buffer): Promise<void> {
    return this.#add(name, bytes.length, [bytes])
  }

  /** False when the file is not there: a table dropped meanwhile is dropped again by the log. */
  async addFile(name: string, path: string): Promise<boolean> {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      },
    )
    if (handle === null) return false
    try {
      const { size } = await handle.stat()
      await this.#add(name, size, readExactly(handle, size))
      return true
    } finally {
      await handle.close()
    }
  }

  async #add(name: string, size: number, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    this.#signal.throwIfAborted()
    const entry = this.#pack.entry({ name, size, mode: 0o600 })
    entry.on('error', () => {})
    for await (const chunk of chunks) {
      await writePaced(entry, chunk, this.#signal)
      this.#onProgress((this.#bytesRead += chunk.length))
    }
    entry.end(null)
  }
}

/** The size promised in the header holds even if the file grows (the rest is in the log) or shrinks (zeros). */
async function* readExactly(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const length = Math.min(CHUNK_BYTES, size - at)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at)
    const chunk = bytesRead === 0 ? buffer.fill(0) : buffer.subarray(0, bytesRead)
    yield chunk
    at += chunk.length
  }
}
