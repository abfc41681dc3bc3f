/**
 * Restores a backup into a data folder that has no cluster. Everything is unpacked into a draft beside the
 * final place and renamed at the end, so a folder named `pg` is always whole; a failure leaves nothing.
 */
import { randomBytes } from 'node:crypto'
import { chown, lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { CLUSTER, type Manifest } from './format.ts'
import { readArchive, Refusal, type Entry } from './read.ts'
import { exists, syncFolder } from '../embedded-postgres/paths.ts'
import type { Vault } from '../secrets.ts'

type RestoreOptions = {
  dataDir: string
  file: string
  /** How far this release's migrations go; a backup of a later one is refused. */
  schemaVersion?: number
  /** Vault of the master key that the backup was made under; without it nobody can read the backup. */
  vault: Vault
  onProgress?: (bytesRead: number) => void
}

export async function restoreBackup(options: RestoreOptions): Promise<{ createdAt: string }> {
  const dataDir = resolve(options.dataDir)
  const cluster = join(dataDir, CLUSTER)
  if (await exists(cluster)) {
    throw new Error(`${cluster} exists: choose another DATA_DIR or move it away`)
  }
  const madeFolder = await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = join(dataDir, `pg.restore-${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(draft, { mode: 0o700 })
    const { created_at: createdAt } = await readArchive({
      ...options,
      accept: manifest => refuseNewer(options, manifest),
      onEntry: entry => unpackEntry(entry, join(draft, entry.header.name)),
    })
    await giveToOwner(dataDir, draft)
    await moveIntoPlace(dataDir, draft)
    await rm(draft, { recursive: true })
    return { createdAt }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (madeFolder !== undefined) await removeEmptyFolders(dataDir, madeFolder)
    throw error
  }
}

function refuseNewer({ file, schemaVersion }: RestoreOptions, found: Manifest): void {
  if (schemaVersion !== undefined && (found.schema_version ?? 0) > schemaVersion) {
    throw new Refusal(
      `${file} was made by a newer Bursar (schema ${found.schema_version}, this release has ${schemaVersion}): ` +
        'restore it with that release or a later one',
    )
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

/** When root restores into another user's folder, the server will run as that user. */
async function giveToOwner(dataDir: string, draft: string): Promise<void> {
  const owner = await lstat(dataDir)
  if (process.getuid?.() !== 0 || owner.uid === 0) return
  for (const name of await readdir(draft, { recursive: true })) {
    await chown(join(draft, name), owner.uid, owner.gid)
  }
}

async function moveIntoPlace(dataDir: string, draft: string): Promise<void> {
  await syncFolder(join(draft, CLUSTER))
  await rename(join(draft, CLUSTER), join(dataDir, CLUSTER))
  await syncFolder(dataDir)
  await syncFolder(dirname(dataDir))
}
