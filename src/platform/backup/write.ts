import { open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import type { Client } from 'pg'
import { pack as createPack } from 'tar-stream'
import { Archive, CLUSTER, MANIFEST, PURPOSE, settleBoth, type Manifest, readThrough } from './format.ts'
import { connectTo, exists, syncFolder } from '../embedded-postgres/paths.ts'
import type { EmbeddedPostgres } from '../embedded-postgres/supervisor.ts'
import { sealing, type Vault } from '../secrets.ts'

/**
 * Online backup of the embedded cluster by the server's low-level backup calls. Between pg_backup_start and
 * pg_backup_stop the files may change while they are read: the write-ahead log of that time, which goes into
 * the archive after them, repairs every such file when the restored server first starts.
 */

type BackupOptions = {
  dataDir: string
  file: string
  connection: EmbeddedPostgres['connection']
  /** Vault of the master key that seals the database's secrets; it seals the file too. */
  vault: Vault
  onProgress?: (bytesRead: number) => void
}

/** Rebuilt or emptied by a starting server, so only the folder itself is kept. */
const EMPTIED = /^pg_(wal|replslot|stat_tmp|notify|dynshmem|serial|snapshots|subtrans)$/

/** Files of this run of the server, or (backup_label) of another backup. */
const SKIPPED = /^(postmaster\.(pid|opts)|backup_label.*|tablespace_map.*|pgsql_tmp.*|pg_internal\.init.*)$/
const SKIPPED_DRAFT = /^(postgresql\.auto\.conf|current_logfiles)\.tmp$/

const CONTROL_FILE = 'global/pg_control'

export const PARTIAL = '.partial'

/**
 * Writes FILE whole or not at all: it grows as FILE.partial and is renamed once it is on the disk and was read back without
 * a fault. So whatever has the name of a backup is one, however the process that wrote it ended.
 */
export async function writeBackup(options: BackupOptions): Promise<{ bytes: number }> {
  const file = resolve(options.file)
  const partial = `${file}${PARTIAL}`
  await refuseExisting(file, 'choose another name: a backup is never overwritten')
  await refuseExisting(partial, 'another backup writes there; if none does, remove it')
  const output = await open(partial, 'wx', 0o600)
  try {
    const client = await connectTo(options.connection)
    try {
      await writeArchive(output, options, client)
    } finally {
      // Ends an unfinished backup too, and drops the temporary slot.
      await client.end().catch(() => {})
    }
    await output.sync()
    const { size } = await output.stat()
    await readThrough(partial, options.vault)
    await refuseExisting(file, 'it appeared while the backup ran, and a backup is never overwritten')
    await rename(partial, file)
    await syncFolder(dirname(file))
    return { bytes: size }
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await output.close().catch(() => {})
  }
}

async function refuseExisting(file: string, advice: string): Promise<void> {
  if (await exists(file)) throw new Error(`${file} exists: ${advice}`)
}

async function writeArchive(output: FileHandle, options: BackupOptions, client: Client): Promise<void> {
  const pack = createPack()
  pack.on('error', () => {})
  const failed = new AbortController()
  const archive = new Archive(pack, failed.signal, options.onProgress ?? (() => {}))
  // A backup competes with the living service for the processor, hence the fastest level.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  const chunks = async function* () {
    yield* pack
  }
  const written = pipeline(chunks, gzip, sealing({ vault: options.vault, purpose: PURPOSE }), sealed =>
    output.writeFile(sealed),
  )
  const produced = addEverything(archive, options, client).then(() => pack.finalize())
  await settleBoth(produced, written, error => {
    failed.abort(error)
    pack.destroy(error)
  })
}

async function addEverything(
  archive: Archive,
  { dataDir, vault }: BackupOptions,
  client: Client,
): Promise<void> {
  const cluster = join(dataDir, CLUSTER)
  const begun = await beginBackup(client)
  refuseOtherKey(begun.manifest, vault)
  await archive.addText(MANIFEST, JSON.stringify(begun.manifest, null, 2))

  await archive.addFolder(CLUSTER)
  await addTree(archive, cluster, '')
  // Last, as it tells how far the other files had come.
  await archive.addBytes(`${CLUSTER}/${CONTROL_FILE}`, await readSteady(join(cluster, CONTROL_FILE)))

  const { rows } = await client.query<{ lsn: string; labelfile: string; spcmapfile: string }>(
    'select (lsn - $$0/0$$::pg_lsn)::text as lsn, labelfile, spcmapfile from pg_backup_stop(false)',
  )
  const end = rows[0]!
  await archive.addText(`${CLUSTER}/backup_label`, end.labelfile)
  if (end.spcmapfile !== '') await archive.addText(`${CLUSTER}/tablespace_map`, end.spcmapfile)
  // Completes the last segment; does nothing when the end of the backup already did.
  await client.query('select pg_switch_wal()')
  for (const name of segmentNames(begun, BigInt(end.lsn))) {
    const added = await archive.addFile(`${CLUSTER}/pg_wal/${name}`, join(cluster, 'pg_wal', name))
    if (!added) throw new Error(`the backup is not whole: log segment ${name} is gone; try again`)
  }
}

/** A backup under a mistyped key would be lost, and nobody would know before it is needed. */
function refuseOtherKey({ master_key_fingerprint: expected }: Manifest, vault: Vault): void {
  if (expected !== null && expected !== vault.fingerprint())
    throw new Error(
      'the master key is not the one that this database was sealed with: set MASTER_KEY to the right one, ' +
        'or nobody could read the backup',
    )
}

type BegunBackup = { manifest: Manifest; startLsn: bigint; segmentBytes: bigint; timeline: string }

async function beginBackup(client: Client): Promise<BegunBackup> {
  // Keeps the log from being recycled before it is copied; temporary, so it ends with this session.
  await client.query('select pg_create_physical_replication_slot($1, true, true)', [
    `bursar_backup_${process.pid}_${Date.now()}`,
  ])
  const { rows } = await client.query<{ lsn: string; bytes: string; walfile: string; version: string }>(
    `select (start - '0/0'::pg_lsn)::text as lsn, pg_walfile_name(start) as walfile,
       (select setting from pg_settings where name = 'wal_segment_size') as bytes,
       current_setting('server_version') as version
     from pg_backup_start('bursar', fast => true) as start`,
  )
  const { lsn, bytes, walfile, version } = rows[0]!
  return {
    manifest: {
      format: 1,
      created_at: new Date().toISOString(),
      pg_version: version,
      ...(await readInstance(client)),
    },
    startLsn: BigInt(lsn),
    segmentBytes: BigInt(bytes),
    timeline: walfile.slice(0, 8),
  }
}

/** Every segment that holds a byte of [start, end): the number's halves count in units of 4 GiB of log. */
function segmentNames({ startLsn, segmentBytes, timeline }: BegunBackup, endLsn: bigint): string[] {
  const names: string[] = []
  const perHigh = 0x1_0000_0000n / segmentBytes
  for (let segment = startLsn / segmentBytes; segment * segmentBytes < endLsn; segment++) {
    names.push(timeline + hex(segment / perHigh) + hex(segment % perHigh))
  }
  return names
}

function hex(part: bigint): string {
  return part.toString(16).toUpperCase().padStart(8, '0')
}

async function addTree(archive: Archive, cluster: string, folder: string): Promise<void> {
  for (const entry of await readdir(join(cluster, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const name = `${CLUSTER}/${path}`
    if (SKIPPED.test(entry.name) || SKIPPED_DRAFT.test(entry.name) || path === CONTROL_FILE) continue
    if (entry.isDirectory()) {
      await archive.addFolder(name)
      if (!EMPTIED.test(path)) await addTree(archive, cluster, path)
    } else if (entry.isFile()) {
      await archive.addFile(name, join(cluster, path))
    } else if (entry.isSymbolicLink()) {
      throw new Error(
        `${join(cluster, path)} leads outside the data folder: such a cluster needs pg_basebackup`,
      )
    }
  }
}

/** The server rewrites the control file in place: two equal reads show that none fell into a write. */
async function readSteady(file: string): Promise<Buffer> {
  let last = await readFile(file)
  for (let reads = 0; reads < 100; reads++) {
    const next = await readFile(file)
    if (next.equals(last)) return next
    last = next
  }
  throw new Error(`${basename(file)} changes without pause: try the backup again`)
}

/** What a restore has to agree with; nulls before Bursar has created its tables. */
async function readInstance(
  client: Client,
): Promise<Pick<Manifest, 'schema_version' | 'master_key_fingerprint'>> {
  const { rows: found } = await client.query<{ has_tables: boolean }>(
    `select to_regclass('public.schema_migrations') is not null
       and to_regclass('public.instance_settings') is not null as has_tables`,
  )
  if (found[0]?.has_tables !== true) return { schema_version: null, master_key_fingerprint: null }
  const { rows } = await client.query<{
    schema_version: number | null
    master_key_fingerprint: string | null
  }>(
    `select (select max(version) from schema_migrations) as schema_version,
       (select value from instance_settings where key = 'master_key_fingerprint') as master_key_fingerprint`,
  )
  return rows[0]!
}
