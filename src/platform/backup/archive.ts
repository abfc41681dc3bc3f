import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { Pack } from 'tar-stream'
import { writePaced } from './format.ts'

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
