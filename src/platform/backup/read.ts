/** Reads a backup from its first byte to its last and trusts nothing in it. */
import { once, type EventEmitter } from 'node:events'
import { stat } from 'node:fs/promises'
import { extract as createExtract, type Extract } from 'tar-stream'
import { CLUSTER, MANIFEST, parseManifest, PURPOSE, settleBoth, writePaced, type Manifest } from './format.ts'
import { POSTGRES_MAJOR } from '../embedded-postgres/paths.ts'
import { NotOpened, readSealed, type Vault } from '../secrets.ts'

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
