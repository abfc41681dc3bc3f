import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { Client, escapeIdentifier } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Queryable } from '../../src/platform/db/database.ts'
import { applyMigrations, readTablesInOrder } from '../../src/platform/db/migrate.ts'

/** A database of the last release: the migrations that made it, by name, and the rows that came to stand in it. */
type KeptData = {
  migrations: Record<string, string>
  tables: { name: string; columns: string[]; rows: string }[]
  sequences: Record<string, string>
}

const FILE = new URL('../../test/release/data-of-last-release.json.br', import.meta.url)
const MIGRATIONS = new URL('../../migrations/', import.meta.url)
/** Written by the migrations themselves. */
const NOT_KEPT = 'schema_migrations'

export function readKeptData(): KeptData {
  return JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString()) as KeptData
}

/** Answers how many tables have rows, and how large the file is. */
export async function keepData(
  databaseUrl: string,
): Promise<{ filled: string[]; empty: string[]; bytes: number }> {
  const kept = await withClient(databaseUrl, async (client, db): Promise<KeptData> => {
    await client.query('begin isolation level repeatable read read only')
    const tables: KeptData['tables'] = []
    for (const { name, columns } of await readTablesInOrder(db)) {
      if (name === NOT_KEPT) continue
      const rows = await text(
        client.query(copyTo(`copy (select ${listOf(columns)} from ${escapeIdentifier(name)}) to stdout`)),
      )
      tables.push({ name, columns, rows })
    }
    const sequences = await db.query<{ name: string; value: string | null }>(
      `select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public'`,
    )
    return {
      migrations: Object.fromEntries(
        readdirSync(MIGRATIONS).map(name => [name, readFileSync(new URL(name, MIGRATIONS), 'utf8')]),
      ),
      tables,
      sequences: Object.fromEntries(
        sequences.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])),
      ),
    }
  })
  const file = brotliCompressSync(JSON.stringify(kept))
  writeFileSync(FILE, file)
  const namesOf = (isFilled: boolean): string[] =>
    kept.tables.filter(({ rows }) => (rows !== '') === isFilled).map(({ name }) => name)
  return { filled: namesOf(true), empty: namesOf(false), bytes: file.length }
}

/** Puts it into an empty database, as the last release left it. */
export async function restoreKeptData(databaseUrl: string, kept: KeptData): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-kept-'))
  try {
    for (const [name, sql] of Object.entries(kept.migrations)) writeFileSync(join(folder, name), sql)
    await withClient(databaseUrl, async (client, db) => {
      await client.query('begin')
      await applyMigrations(db, pathToFileURL(`${folder}/`))
      // Triggers that note changes would note every row.
      await client.query(`set local bursar.is_copied = 'yes'`)
      for (const { name, columns, rows } of kept.tables) {
        const into = client.query(copyFrom(`copy ${escapeIdentifier(name)} (${listOf(columns)}) from stdin`))
        await pipeline(Readable.from([rows]), into)
      }
      for (const [name, value] of Object.entries(kept.sequences))
        await client.query('select setval($1::regclass, $2)', [escapeIdentifier(name), value])
      await client.query('commit')
      await client.query('analyze')
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function listOf(columns: readonly string[]): string {
  return columns.map(escapeIdentifier).join(', ')
}

/** The same spelling of every value, wherever it is written. */
const SPELLING = `set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set extra_float_digits = 1`

async function withClient<Result>(
  connectionString: string,
  act: (client: Client, db: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(SPELLING)
    return await act(client, {
      query: async (sql, values) => (await client.query(sql, values as unknown[])).rows,
    })
  } finally {
    await client.end()
  }
}
