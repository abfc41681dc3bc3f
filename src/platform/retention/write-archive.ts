import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Queryable } from '../db/database.ts'
import { syncFolder } from '../embedded-postgres/paths.ts'
import { sealing, type Seal } from '../sealed-file.ts'
import type { Vault } from '../secrets.ts'
import {
  archiveProblem,
  hmacOfLines,
  LINES,
  linesPath,
  manifestPath,
  readLines,
  readManifest,
  sealOf,
  type Manifest,
} from './archive.ts'
import type { RetiredMonth } from './logs.ts'

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
