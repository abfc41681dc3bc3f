import { createHash, createHmac, type Hmac } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Queryable, Database } from '../db/database.ts'
import { syncFolder } from '../embedded-postgres/paths.ts'
import {
  type RetiredMonth,
  dropRetired,
  listRetired,
  makeMonthsAhead,
  retireOldest,
  sortLaterRows,
  type PartitionedLog,
} from './logs.ts'
import { NotOpened, readSealed, type Seal, sealing, type Vault } from '../secrets.ts'
import { isHeld, NoPermit } from '../db/cluster-semaphore.ts'
import type { Log } from '../log.ts'
import type { RetentionBacklog } from './months.rules.ts'

/**
 * A month of a log as files: rows as JSON, one a line, compressed and sealed under the master key, and beside them a manifest
 * with their count and checksums. Whatever has a manifest is whole, however the process that wrote it ended.
 */

export type Manifest = {
  format: 2
  /** The log that the rows are of. */
  table: string
  /** Such as 2026-01, in India; what stood before the first month is `before-2026-01`. */
  month: string
  rows: number
  first_id: string
  last_id: string
  columns: { name: string; type: string }[]
  file: string
  bytes: number
  /** Digest of the file, as `sha256sum` computes it. */
  sha256: string
  /** Digest of the lines under a key, however they are sealed: without the key it would tell whether a guess at them is right. */
  lines_hmac: string
  written_at: string
}

const LINES = '.jsonl.gz.sealed'
const MANIFEST = '.json'

/** Every manifest in the folder, by table and month. One that cannot be read hides no other, if somebody takes the problem. */
export async function listArchives(
  folder: string,
  onProblem: (problem: string, path: string) => void = problem => {
    throw new Error(problem)
  },
): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  for (const path of await listManifests(folder)) {
    const found = await readManifest(path).catch((error: Error) => error.message)
    if (typeof found === 'string') onProblem(found, path)
    else if (found !== null) manifests.push(found)
  }
  return manifests
}

/** Where the manifests of the folder are, by table and month. */
async function listManifests(folder: string): Promise<string[]> {
  return (await listFiles(folder)).filter(path => path.endsWith(MANIFEST))
}

async function listFiles(folder: string): Promise<string[]> {
  const tables = (await readdir(folder, { withFileTypes: true })).filter(entry => entry.isDirectory())
  const names = await Promise.all(
    tables.map(async ({ name }) => (await readdir(join(folder, name))).map(file => join(folder, name, file))),
  )
  return names.flat().toSorted()
}

type Verified = { files: number; rows: number; problems: string[] }

/** Reads every archive of the folder. One that is damaged hides none of the others. */
export async function verifyArchives(folder: string, vault: Vault, now = new Date()): Promise<Verified> {
  const verified: Verified = { files: 0, rows: 0, problems: [] }
  for (const path of await listWithoutManifest(folder, now)) {
    verified.files++
    verified.problems.push(
      `${path} has no manifest to compare it with: bring that back, or delete the file if \`bursar archive run\` wrote the month again`,
    )
  }
  for (const path of await listManifests(folder)) {
    const found = await readManifest(path).catch((error: Error) => error.message)
    if (found === null) continue
    const problem = typeof found === 'string' ? found : await archiveProblem(folder, found, vault)
    if (problem !== null) verified.problems.push(problem)
    verified.files++
    if (typeof found !== 'string') verified.rows += found.rows
  }
  return verified
}

/** The manifest is written right behind the rows: between the two a file is alone for a moment. */
const BEING_WRITTEN_MS = 60_000

async function listWithoutManifest(folder: string, now: Date): Promise<string[]> {
  const paths = new Set(await listFiles(folder))
  const alone = [...paths].filter(
    path => path.endsWith(LINES) && !paths.has(`${path.slice(0, -LINES.length)}${MANIFEST}`),
  )
  const changed = await Promise.all(alone.map(async path => (await stat(path).catch(() => null))?.ctimeMs))
  return alone.filter((_, at) => now.getTime() - (changed[at] ?? now.getTime()) > BEING_WRITTEN_MS)
}

/** Null when there is none; throws when it cannot be understood. */
async function readManifest(path: string): Promise<Manifest | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const problem = `${path} is not a manifest of an archive that this version understands`
  try {
    const manifest = JSON.parse(text) as { format: unknown; sha256: unknown }
    if (manifest.format === 2 && typeof manifest.sha256 === 'string') return manifest as Manifest
  } catch (cause) {
    throw new Error(problem, { cause })
  }
  throw new Error(problem)
}

const manifestPath = (folder: string, table: string, name: string): string =>
  join(folder, table, `${name}${MANIFEST}`)

export const linesPath = (folder: string, { table, file }: Pick<Manifest, 'table' | 'file'>): string =>
  join(folder, table, file)

/** A file that is moved to another month or log does not open there. */
export function sealOf(vault: Vault, { table, month }: Pick<Manifest, 'table' | 'month'>): Seal {
  return { vault, purpose: `archive ${table} ${month}` }
}

function hmacOfLines(vault: Vault): Hmac {
  return createHmac('sha256', vault.deriveKey('lines of an archive'))
}

export type Content = { rows: number; bytes: number; sha256: string; linesHmac: string }

/** Reads a file of lines to its end, each line to `onLine`; what it cannot open it throws. */
export async function readLines(
  path: string,
  seal: Seal,
  onLine?: (line: string) => void | Promise<void>,
): Promise<Content> {
  const [ofFile, ofLines] = [createHash('sha256'), hmacOfLines(seal.vault)]
  let [rows, bytes, rest] = [0, 0, '']
  const decoder = new TextDecoder()
  const plain = readSealed(path, seal, chunk => {
    ofFile.update(chunk)
    bytes += chunk.length
  })
  for await (const chunk of plain as AsyncIterable<Buffer>) {
    ofLines.update(chunk)
    if (onLine === undefined) {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++
      continue
    }
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) await onLine(line)
    rows += lines.length
  }
  return { rows, bytes, sha256: ofFile.digest('hex'), linesHmac: ofLines.digest('hex') }
}

/** What is wrong with an archive; null: every byte and row of it is there. */
export async function archiveProblem(
  folder: string,
  manifest: Manifest,
  vault: Vault,
): Promise<string | null> {
  const path = linesPath(folder, manifest)
  let content: Content
  try {
    content = await readLines(path, sealOf(vault, manifest))
  } catch (error) {
    return describeUnread(path, error as Error)
  }
  if (content.sha256 !== manifest.sha256)
    return `${path} is not the file that was written: its checksum differs`
  if (content.rows !== manifest.rows || content.linesHmac !== manifest.lines_hmac)
    return `${path} has ${content.rows} rows, its manifest says ${manifest.rows}`
  return null
}

export function describeUnread(path: string, error: Error): string {
  return error instanceof NotOpened ? `${path} ${error.message}` : `${path} cannot be read: ${error.message}`
}

const PARTIAL = '.partial'
const BATCH_ROWS = 2_000
/** JSON shrinks to a tenth at this level already, and higher ones take twice the time. */
const LEVEL = 4

type WriteOptions = { folder: string; vault: Vault; isStopping: () => boolean }

/**
 * Writes a month that has left its log, and reads it back. After a kill the same again: what stands there without a
 * manifest is replaced, the same rows are recognised by their checksum, and other rows of the same month (of another
 * installation, say) are never overwritten but get a number. Null when there are no rows.
 */
export async function writeArchive(
  db: Queryable,
  retired: RetiredMonth,
  options: WriteOptions,
): Promise<Manifest | null> {
  const folder = join(options.folder, retired.table)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = retired.name.slice(retired.table.length + 1).replaceAll('_', '-')
  const partial = join(folder, `${name}${LINES}${PARTIAL}`)
  try {
    const seal = sealOf(options.vault, { table: retired.table, month: name })
    const written = await writeLines(db, retired, { partial, seal, isStopping: options.isStopping })
    if (written.rows === 0) return null
    const content = await readLines(partial, seal)
    if (content.rows !== written.rows || content.linesHmac !== written.linesHmac)
      throw new Error(`${partial} was read back with other rows than were written`)
    const { linesHmac } = content
    const { file, known } = await chooseName(options, retired.table, { name, linesHmac })
    if (known !== null) return known
    const manifest: Manifest = {
      format: 2,
      table: retired.table,
      month: name,
      rows: content.rows,
      first_id: written.firstId,
      last_id: written.lastId,
      columns: await readColumns(db, retired),
      file,
      bytes: content.bytes,
      sha256: content.sha256,
      lines_hmac: linesHmac,
      written_at: new Date().toISOString(),
    }
    await rename(partial, linesPath(options.folder, manifest))
    await writeManifest(options.folder, manifest)
    return manifest
  } finally {
    await rm(partial, { force: true })
  }
}

type WrittenLines = { rows: number; firstId: string; lastId: string; linesHmac: string }

async function writeLines(
  db: Queryable,
  { name }: RetiredMonth,
  { partial, seal, isStopping }: { partial: string; seal: Seal; isStopping: () => boolean },
): Promise<WrittenLines> {
  const hash = hmacOfLines(seal.vault)
  const written = { rows: 0, firstId: '', lastId: '' }
  async function* lines(): AsyncGenerator<string> {
    let after = { instituteId: -1, id: '' }
    for (;;) {
      if (isStopping()) throw new Error('Bursar is stopping')
      // A line break in a `json` value can only be space between its parts: within its texts they are escaped.
      const rows = await db.query<{ instituteId: number; id: string; line: string }>(
        `select institute_id as "instituteId", id, replace(row_to_json(t)::text, e'\\n', ' ') as line from retired.${name} t
         where (institute_id, id) > ($1, $2) order by institute_id, id limit ${BATCH_ROWS}`,
        [after.instituteId, after.id],
      )
      const last = rows.at(-1)
      if (last === undefined) return
      after = last
      for (const { id } of rows) {
        if (written.firstId === '' || id < written.firstId) written.firstId = id
        if (id > written.lastId) written.lastId = id
      }
      written.rows += rows.length
      const text = rows.map(({ line }) => `${line}\n`).join('')
      hash.update(text)
      yield text
    }
  }
  const sink = createWriteStream(partial, { mode: 0o600, flush: true })
  await pipeline(Readable.from(lines()), createGzip({ level: LEVEL }), sealing(seal), sink)
  return { ...written, linesHmac: hash.digest('hex') }
}

/** The first name that is free, or the archive that has these very rows already. */
async function chooseName(
  { folder, vault }: WriteOptions,
  table: string,
  { name, linesHmac }: { name: string; linesHmac: string },
): Promise<{ file: string; known: Manifest | null }> {
  for (let number = 1; ; number++) {
    const base = number === 1 ? name : `${name}.${number}`
    const found = await readManifest(manifestPath(folder, table, base))
    if (found === null) return { file: `${base}${LINES}`, known: null }
    if (found.lines_hmac !== linesHmac) continue
    if ((await archiveProblem(folder, found, vault)) === null) return { file: found.file, known: found }
  }
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const { table, file } = manifest
  const path = manifestPath(folder, table, file.slice(0, -LINES.length))
  const partial = `${path}${PARTIAL}`
  const output = await open(partial, 'w', 0o600)
  try {
    await output.writeFile(`${JSON.stringify(manifest, null, 2)}\n`)
    await output.sync()
  } finally {
    await output.close()
  }
  // The rows first: a manifest must never stand without them.
  await syncFolder(join(folder, table))
  await rename(partial, path)
  await syncFolder(join(folder, table))
}

async function readColumns(db: Queryable, { name }: RetiredMonth): Promise<Manifest['columns']> {
  return db.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [`retired.${name}`],
  )
}

type Retention = {
  db: Database
  /** The vault whose key seals archives. */
  vault: Vault
  log: Pick<Log, 'info'>
  logs: readonly PartitionedLog[]
  /** Null: months are dropped as they are, but for those that must be archived. */
  archiveDir: string | null
}

export type DroppedMonth = RetiredMonth & { archive: Manifest | null }

/** Processes that do it, one at a time. */
const PERMIT = 'bursar archive'

type RunOptions = { now?: Date; isStopping?: () => boolean; isPerson?: boolean }

/**
 * Makes the months to come, and takes those that are past their time out of their logs, into the archive and out of the
 * database. Ids are made in real time, so a sandbox clock that was moved changes nothing. Any number of processes may run
 * it: one works and the others wait for it or leave it be. Whatever it was doing when it was killed, the next run goes on.
 */
export async function retainLogs(retention: Retention, options: RunOptions = {}): Promise<DroppedMonth[]> {
  const { db, logs } = retention
  const { now = new Date(), isStopping = () => false, isPerson = false } = options
  let release: () => void
  try {
    release = await db.semaphore.acquire(PERMIT, 1, isPerson)
  } catch (error) {
    if (error instanceof NoPermit) return []
    throw error
  }
  try {
    const unsorted: PartitionedLog[] = []
    for (const log of logs) if (!(await makeMonthsAhead(db, log, now))) unsorted.push(log)
    for (const log of unsorted) await sortLaterRows(db, log, { now, isStopping })
    for (const log of logs) while ((await retireOldest(db, log, now)) !== null);
    return await dropAll(retention, isStopping)
  } finally {
    release()
  }
}

export async function readWaiting(db: Queryable, logs: readonly PartitionedLog[]): Promise<RetentionBacklog> {
  const isUnderWay = await isHeld(db, PERMIT)
  return { months: await listRetired(db, logs), isUnderWay }
}

async function dropAll(
  { db, vault, log, logs, archiveDir }: Retention,
  isStopping: () => boolean,
): Promise<DroppedMonth[]> {
  const dropped: DroppedMonth[] = []
  for (const retired of await listRetired(db, logs)) {
    if (archiveDir === null && retired.mustBeArchived) continue
    const archive =
      archiveDir === null ? null : await writeArchive(db, retired, { folder: archiveDir, vault, isStopping })
    await dropRetired(db, retired)
    dropped.push({ ...retired, archive })
    const { table, month } = retired
    log.info({ table, month, rows: archive?.rows, file: archive?.file }, 'a month has left its log')
  }
  return dropped
}
