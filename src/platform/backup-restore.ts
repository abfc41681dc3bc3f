/**
 * Restores a backup into a data folder that has no cluster. Everything is unpacked into a draft beside the
 * final place and renamed at the end, so a folder named `pg` is always whole; a failure leaves nothing.
 */
import { randomBytes } from 'node:crypto'
import { once, type EventEmitter } from 'node:events'
import { createReadStream } from 'node:fs'
import { chown, lstat, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createGunzip } from 'node:zlib'
import { extract as createExtract, type Extract } from 'tar-stream'
import {
  CLUSTER,
  KEY_FILE,
  MANIFEST,
  parseManifest,
  settleBoth,
  writePaced,
  type Manifest,
} from './backup-format.ts'
import { POSTGRES_MAJOR } from './embedded-postgres/binaries.ts'
import { exists, syncFolder } from './embedded-postgres/paths.ts'

type Entry = Extract extends AsyncIterable<infer Source> ? Source : never

type RestoreOptions = { dataDir: string; file: string; onProgress?: (bytesRead: number) => void }

const MANIFEST_LIMIT_BYTES = 64 * 1024
const NEEDED = ['PG_VERSION', 'backup_label', 'global/pg_control']

export async function restoreBackup(options: RestoreOptions): Promise<{ createdAt: string }> {
  const dataDir = resolve(options.dataDir)
  const cluster = join(dataDir, CLUSTER)
  if (await exists(cluster)) {
    throw new Error(`${cluster} exists: choose another DATA_DIR or move it away`)
  }
  await stat(options.file).catch((cause: Error) => {
    throw new Error(`cannot read the backup ${options.file}: ${cause.message}`, { cause })
  })
  const madeFolder = await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = join(dataDir, `pg.restore-${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(draft, { mode: 0o700 })
    const manifest = await unpack(options, draft)
    await giveToOwner(dataDir, draft)
    await moveIntoPlace(dataDir, draft)
    await rm(draft, { recursive: true })
    return { createdAt: manifest.created_at }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (madeFolder !== undefined) await removeEmptyFolders(dataDir, madeFolder)
    throw error
  }
}

/** Empty ones only: a Bursar started meanwhile may have put its cluster there. */
async function removeEmptyFolders(deepest: string, topmost: string): Promise<void> {
  for (let folder = deepest; folder.startsWith(topmost); folder = dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}

async function unpack({ file, onProgress }: RestoreOptions, draft: string): Promise<Manifest> {
  const extract = createExtract()
  extract.on('error', () => {})
  const failed = new AbortController()
  const fed = feed(extract, file, failed.signal, onProgress ?? (() => {}))
  const [manifest] = await settleBoth(unpackEntries(extract, file, draft), fed, error => {
    failed.abort(error)
    extract.destroy(error)
  }).catch((error: unknown) => {
    throw explain(file, error)
  })
  for (const name of NEEDED) {
    if (!(await exists(join(draft, CLUSTER, name))))
      throw new Error(`${file} is not whole: ${name} is missing`)
  }
  return manifest
}

async function feed(
  extract: Extract,
  file: string,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
) {
  const source = createReadStream(file, { highWaterMark: 256 * 1024 })
  let bytesRead = 0
  source.on('data', chunk => onProgress((bytesRead += chunk.length)))
  const gunzip = createGunzip()
  source.on('error', error => gunzip.destroy(error))
  source.pipe(gunzip)
  try {
    for await (const chunk of gunzip) await writePaced(extract, chunk as Buffer, signal)
    const closed = once(extract as unknown as EventEmitter, 'close', { signal })
    extract.end(null)
    await closed
  } finally {
    source.destroy()
  }
}

async function unpackEntries(extract: Extract, file: string, draft: string): Promise<Manifest> {
  let manifest: Manifest | null = null
  for await (const entry of extract) {
    const { name } = entry.header
    if (manifest === null) {
      manifest = name === MANIFEST ? parseManifest(await readText(entry)) : null
      if (manifest === null) throw new Refusal(`${file} is not a Bursar backup`)
      if (manifest.pg_version.split('.')[0] !== POSTGRES_MAJOR) {
        throw new Refusal(
          `${file} was made with PostgreSQL ${manifest.pg_version} and this Bursar brings ${POSTGRES_MAJOR}: ` +
            'restore it with the release that made it',
        )
      }
      continue
    }
    if (!isSafe(entry))
      throw new Refusal(`${file} is refused: it has an unsafe entry ${JSON.stringify(name)}`)
    await unpackEntry(entry, join(draft, name))
  }
  if (manifest === null) throw new Refusal(`${file} is not a Bursar backup: it is empty`)
  return manifest
}

/** Only plain files and folders, only below the cluster (and the key), and no step upwards. */
function isSafe({ header: { name, type } }: Entry): boolean {
  if (type !== 'file' && type !== 'directory') return false
  if (name === KEY_FILE) return type === 'file'
  const [top, ...steps] = name.replace(/\/$/, '').split('/')
  if (top !== CLUSTER || name.includes('\0') || name.includes('\\')) return false
  return steps.every(step => step !== '' && step !== '.' && step !== '..')
}

async function unpackEntry(entry: Entry, path: string): Promise<void> {
  if (entry.header.type === 'directory') {
    await mkdir(path, { mode: 0o700 })
    entry.resume()
    return
  }
  // 'wx': an archive with the same name twice is no backup of ours.
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of entry) await handle.writeFile(chunk as Buffer)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

async function readText(entry: Entry): Promise<string> {
  const chunks: Buffer[] = []
  if ((entry.header.size ?? 0) > MANIFEST_LIMIT_BYTES) return ''
  for await (const chunk of entry) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** When root restores into another user's folder, the server will run as that user. */
async function giveToOwner(dataDir: string, draft: string): Promise<void> {
  const owner = await lstat(dataDir)
  if (process.getuid?.() !== 0 || owner.uid === 0) return
  for (const name of await readdir(draft, { recursive: true })) {
    await chown(join(draft, name), owner.uid, owner.gid)
  }
}

/** The key first: a cluster without its key would make the next start invent another one. */
async function moveIntoPlace(dataDir: string, draft: string): Promise<void> {
  const [from, key] = [join(draft, KEY_FILE), join(dataDir, KEY_FILE)]
  const found = await readFile(key).catch(() => null)
  const restored = await readFile(from).catch(() => null)
  if (found !== null && restored !== null && !found.equals(restored)) {
    throw new Error(`${key} is another key than the backup's: choose another DATA_DIR or move it away`)
  }
  const movesKey = restored !== null && found === null
  if (movesKey) await rename(from, key)
  try {
    await syncFolder(join(draft, CLUSTER))
    await rename(join(draft, CLUSTER), join(dataDir, CLUSTER))
  } catch (error) {
    if (movesKey) await rm(key, { force: true })
    throw error
  }
  await syncFolder(dataDir)
  await syncFolder(dirname(dataDir))
}

/** A sentence for the operator, as opposed to whatever a stream or the disk reports. */
class Refusal extends Error {}

function explain(file: string, error: unknown): Error {
  if (error instanceof Refusal) return error
  const { code, message } = error as NodeJS.ErrnoException
  const isDisk = code !== undefined && /^E[A-Z]+$/.test(code)
  const advice = isDisk ? `cannot restore ${file}` : `${file} is damaged, cut short or not a Bursar backup`
  return new Error(`${advice}: ${message}`, { cause: error })
}
