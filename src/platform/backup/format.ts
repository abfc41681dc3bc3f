import { once, type EventEmitter } from 'node:events'
import { constants } from 'node:fs'
import { open, type FileHandle, stat } from 'node:fs/promises'
import { type Pack, extract as createExtract, type Extract } from 'tar-stream'
import { POSTGRES_MAJOR } from '../embedded-postgres/paths.ts'
import { NotOpened, readSealed, type Vault } from '../secrets.ts'

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
function parseManifest(text: string): Manifest | null {
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
async function writePaced(stream: Sink, chunk: Buffer, signal: AbortSignal): Promise<void> {
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

/** Reads a backup from its first byte to its last and trusts nothing in it. */

export type Entry = Extract extends AsyncIterable<infer Source> ? Source : never

type ReadOptions = {
  file: string
  /** Vault of the master key that the backup was made under. */
  vault: Vault
  /** May throw a Refusal before anything else is read. */
  accept?: (manifest: Manifest) => void
  /** Must read the entry to its end. */
  onEntry: (entry: Entry) => Promise<void>
  onProgress?: (bytesRead: number) => void
}

/** A sentence for the operator, as opposed to whatever a stream or the disk reports. */
export class Refusal extends Error {}

const MANIFEST_LIMIT_BYTES = 64 * 1024
const NEEDED = ['PG_VERSION', 'backup_label', 'global/pg_control'].map(name => `${CLUSTER}/${name}`)

/** Reads all of it without unpacking: every segment is checked. */
export function readThrough(file: string, vault: Vault): Promise<Manifest> {
  return readArchive({
    file,
    vault,
    async onEntry(entry) {
      for await (const _chunk of entry);
    },
  })
}

/** Reads its first entry alone. */
export async function readManifest(file: string, vault: Vault): Promise<Manifest> {
  const { promise, resolve, reject } = Promise.withResolvers<Manifest>()
  const accept = (manifest: Manifest): void => {
    resolve(manifest)
    throw new Refusal('nothing else is wanted')
  }
  // What is refused after that changes nothing.
  await readArchive({ file, vault, accept, onEntry: async () => {} }).catch(reject)
  return promise
}

export async function readArchive(options: ReadOptions): Promise<Manifest> {
  const { file } = options
  await stat(file).catch((cause: Error) => {
    throw new Error(`cannot read the backup ${file}: ${cause.message}`, { cause })
  })
  const extract = createExtract()
  extract.on('error', () => {})
  const failed = new AbortController()
  const fed = feed(extract, options, failed.signal)
  const [manifest] = await settleBoth(readEntries(extract, options), fed, error => {
    failed.abort(error)
    extract.destroy(error)
  }).catch((error: unknown) => {
    throw explain(file, error)
  })
  return manifest
}

async function feed(
  extract: Extract,
  { file, vault, onProgress }: ReadOptions,
  signal: AbortSignal,
): Promise<void> {
  let bytesRead = 0
  const plain = readSealed(file, { vault, purpose: PURPOSE }, chunk =>
    onProgress?.((bytesRead += chunk.length)),
  )
  for await (const chunk of plain) await writePaced(extract, chunk as Buffer, signal)
  const closed = once(extract as unknown as EventEmitter, 'close', { signal })
  extract.end(null)
  await closed
}

async function readEntries(extract: Extract, { file, accept, onEntry }: ReadOptions): Promise<Manifest> {
  let manifest: Manifest | null = null
  const missing = new Set(NEEDED)
  for await (const entry of extract) {
    const { name } = entry.header
    if (manifest === null) {
      manifest = name === MANIFEST ? parseManifest(await readText(entry)) : null
      if (manifest === null) throw new Refusal(`${file} is not a Bursar backup`)
      refuseOtherMajor(file, manifest)
      accept?.(manifest)
      continue
    }
    if (!isSafe(entry))
      throw new Refusal(`${file} is refused: it has an unsafe entry ${JSON.stringify(name)}`)
    await onEntry(entry)
    missing.delete(name)
  }
  if (manifest === null) throw new Refusal(`${file} is not a Bursar backup: it is empty`)
  for (const name of missing) throw new Refusal(`${file} is not whole: ${name} is missing`)
  return manifest
}

function refuseOtherMajor(file: string, { pg_version: version }: Manifest): void {
  if (version.split('.')[0] === POSTGRES_MAJOR) return
  throw new Refusal(
    `${file} was made with PostgreSQL ${version} and this Bursar brings ${POSTGRES_MAJOR}: ` +
      'restore it with the release that made it',
  )
}

/** Only plain files and folders, only below the cluster, and no step upwards. */
function isSafe({ header: { name, type } }: Entry): boolean {
  if (type !== 'file' && type !== 'directory') return false
  const [top, ...steps] = name.replace(/\/$/, '').split('/')
  if (top !== CLUSTER || name.includes('\0') || name.includes('\\')) return false
  return steps.every(step => step !== '' && step !== '.' && step !== '..')
}

async function readText(entry: Entry): Promise<string> {
  const chunks: Buffer[] = []
  if ((entry.header.size ?? 0) > MANIFEST_LIMIT_BYTES) return ''
  for await (const chunk of entry) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function explain(file: string, error: unknown): Error {
  if (error instanceof Refusal) return error
  if (error instanceof NotOpened) return new Refusal(`${file} ${error.message}`, { cause: error })
  const { code, message } = error as NodeJS.ErrnoException
  const isDisk = code !== undefined && /^E[A-Z]+$/.test(code)
  const advice = isDisk
    ? `cannot read or unpack ${file}`
    : `${file} is damaged, cut short or not a Bursar backup`
  return new Error(`${advice}: ${message}`, { cause: error })
}
