import { randomBytes } from 'node:crypto'
import {
  chown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Client } from 'pg'
import { CLUSTER, type Manifest, type Entry, readArchive, Refusal } from './format.ts'
import { connectTo, exists, syncFolder } from '../embedded-postgres/paths.ts'
import { openEmbeddedPostgres } from '../embedded-postgres/supervisor.ts'
import type { Vault } from '../secrets.ts'

/**
 * Restores a backup into a data folder that has no cluster. Everything is unpacked into a draft beside the
 * final place and renamed at the end, so a folder named `pg` is always whole; a failure leaves nothing.
 */

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

/**
 * The one proof that a backup can be used: it is restored into a temporary folder, PostgreSQL recovers it, and every row
 * of every table is read, which also checks the checksum of every page.
 */

type RehearseOptions = Omit<Parameters<typeof restoreBackup>[0], 'dataDir'> & { folder?: string }

export async function rehearseRestore(
  options: RehearseOptions,
): Promise<{ createdAt: string; tables: number; rows: number }> {
  const dataDir = await mkdtemp(join(options.folder ?? tmpdir(), 'bursar-rehearsal-'))
  try {
    const { createdAt } = await restoreBackup({ ...options, dataDir })
    const postgres = await openEmbeddedPostgres({ dataDir })
    try {
      const client = await connectTo(postgres.connection)
      try {
        return { createdAt, ...(await readEveryRow(client)) }
      } finally {
        await client.end()
      }
    } finally {
      await postgres.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function readEveryRow(client: Client): Promise<{ tables: number; rows: number }> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r'
       and relnamespace in (select oid from pg_namespace where nspname in ('public', 'retired'))`,
  )
  let rows = 0
  for (const { name } of tables) {
    // Casting to text also reads values that are stored outside the page.
    const found = await client.query<{ rows: string }>(`select count(t::text) as rows from ${name} t`)
    rows += Number(found.rows[0]?.rows)
  }
  return { tables: tables.length, rows }
}

/** When a backup was last restored on trial, kept beside the database: not in it, as the trial needs no running one. */
const FILE = 'restore-trial.json'

export async function noteRestoreTrial(dataDir: string, trial: { at: Date; file: string }): Promise<void> {
  await writeFile(join(dataDir, FILE), `${JSON.stringify(trial)}\n`, { mode: 0o600 })
}

export async function readRestoreTrial(dataDir: string): Promise<Date | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => null)
  if (text === null) return null
  const at = new Date((JSON.parse(text) as { at: string }).at)
  return Number.isNaN(at.getTime()) ? null : at
}
