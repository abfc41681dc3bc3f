import { mkdtemp, rm, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'pg'
import { restoreBackup } from './restore.ts'
import { connectTo } from '../embedded-postgres/client.ts'
import { openEmbeddedPostgres } from '../embedded-postgres/supervisor.ts'

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
