import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { partitionedLogs } from '../app/retention.ts'
import { findVault } from '../app/installation.ts'
import {
  describeUnread,
  linesPath,
  listArchives,
  readLines,
  sealOf,
  verifyArchives,
  type Content,
  type Manifest,
  readWaiting,
  retainLogs,
} from '../platform/retention/retention.ts'
import type { Vault } from '../platform/secrets.ts'
import { addExamples, InputError, formatBytes, formatTable, show, writeError } from './terminal.ts'
import { SILENT, withContext } from './with-database.ts'

export function addArchiveCommands(program: Command): void {
  const archive = program.command('archive').description('old months of logs, in files')
  const run = archive
    .command('run')
    .description('archive and drop the months that are past their time now, as Bursar does once an hour')
    .action(runArchive)
  addExamples(run, ['ARCHIVE_DIR=/archive/bursar bursar archive run'])

  const list = archive
    .command('list')
    .description('the months in the archive')
    .option('--dir <folder>', 'instead of ARCHIVE_DIR')
    .action(listMonths)
  addExamples(list, ['bursar archive list'])

  const verify = archive
    .command('verify')
    .description('read every file and compare it with its manifest')
    .option('--dir <folder>', 'instead of ARCHIVE_DIR')
    .action(verifyFolder)
  addExamples(verify, ['bursar archive verify --dir /mnt/archive'])

  const read = archive
    .command('read')
    .description('write the rows of a month as JSON, one a line')
    .argument('<table>', 'as `bursar archive list` names it')
    .argument('<month>', 'as `bursar archive list` names it')
    .option('--where <field=value>', 'only rows with this value; may be repeated', collect, [])
    .option('--dir <folder>', 'instead of ARCHIVE_DIR')
    .action(readArchive)
  addExamples(read, [
    'bursar archive read events 2026-01 --where resource_id=order_01k9…',
    'bursar archive read webhook_deliveries 2026-01 | jq .attempts',
  ])
}

async function runArchive(): Promise<void> {
  const { retention } = readConfig(process.env)
  await withContext(async ({ db, vault }) => {
    const { archiveDir } = retention
    const logs = partitionedLogs(retention)
    const dropped = await retainLogs({ db, vault, log: SILENT, logs, archiveDir }, { isPerson: true })
    const { months } = await readWaiting(db, logs)
    const lines = [
      ...dropped.map(({ table, month, archive }) =>
        archive === null
          ? `${table} ${month}: dropped${archiveDir === null ? '' : ', it was empty'}`
          : `${table} ${month}: ${archive.rows} rows in ${linesPath(archiveDir ?? '', archive)}`,
      ),
      ...(dropped.some(({ archive: written }) => written !== null) ? [KEEP_KEY] : []),
      ...months.map(({ table, month }) => `${table} ${month}: waits for an archive, set ARCHIVE_DIR`),
    ]
    show(
      dropped.map(({ table, month, archive }) => ({ table, month, archive })),
      lines.length === 0 ? 'No month is past its time.' : lines.join('\n'),
    )
    if (months.length > 0) process.exitCode = 1
  })
}

const KEEP_KEY = 'They are encrypted: keep the master key, apart from them, or nobody can read them.'

type Folder = { dir?: string }

async function listMonths(options: Folder): Promise<void> {
  const manifests = await listArchives(folderOf(options), problem => {
    writeError(problem)
    process.exitCode = 1
  })
  const rows = manifests.map(({ table, file, month, rows, bytes }) => [
    table,
    month,
    String(rows),
    formatBytes(bytes),
    file,
  ])
  show(manifests, formatTable(['TABLE', 'MONTH', 'ROWS', 'SIZE', 'FILE'], rows))
}

async function verifyFolder(options: Folder): Promise<void> {
  const { files, rows, problems } = await verifyArchives(folderOf(options), await vaultOrRefusal())
  if (problems.length > 0)
    throw new InputError([...problems, `${problems.length} of ${files} files are not whole.`].join('\n'))
  show({ files, rows }, `All ${files} files are whole: ${rows} rows.`)
}

async function readArchive(
  table: string,
  month: string,
  { where, ...options }: Folder & { where: string[] },
): Promise<void> {
  const folder = folderOf(options)
  const manifests = await listArchives(folder, (problem, path) => {
    // A month may be in several files: without one of them its rows are not all.
    if (path.startsWith(join(folder, table, month))) throw new InputError(problem)
  })
  const found = manifests.filter(one => one.table === table && one.month === month)
  if (found.length === 0)
    throw new InputError(`${folder} has no ${table} of ${month}; \`bursar archive list\` shows what it has.`)
  const vault = await vaultOrRefusal()
  for (const manifest of found) await writeRows(folder, manifest, { vault, where: where.map(parseCondition) })
}

async function writeRows(
  folder: string,
  manifest: Manifest,
  { vault, where: conditions }: { vault: Vault; where: Condition[] },
): Promise<void> {
  const unknown = conditions.find(({ field }) => !manifest.columns.some(({ name }) => name === field))
  if (unknown !== undefined)
    throw new InputError(
      `${manifest.table} has no field ${unknown.field}; it has ${manifest.columns.map(({ name }) => name).join(', ')}.`,
    )
  const path = linesPath(folder, manifest)
  let content: Content
  try {
    content = await readLines(path, sealOf(vault, manifest), async line => {
      if (!isMeant(line, conditions)) return
      if (!process.stdout.write(`${line}\n`)) await new Promise(go => process.stdout.once('drain', go))
    })
  } catch (error) {
    throw new InputError(describeUnread(path, error as Error))
  }
  if (content.sha256 !== manifest.sha256)
    throw new InputError(`${path} is not the file that was written: its checksum differs.`)
}

type Condition = { field: string; value: string }

function parseCondition(text: string): Condition {
  const at = text.indexOf('=')
  if (at < 1) throw new InputError(`--where must be field=value; it is "${text}".`)
  return { field: text.slice(0, at), value: text.slice(at + 1) }
}

function isMeant(line: string, conditions: readonly Condition[]): boolean {
  if (conditions.length === 0) return true
  // Most rows are not meant, and to parse one takes longer than to see that.
  if (!conditions.every(({ value }) => line.includes(JSON.stringify(value).slice(1, -1)))) return false
  const row = JSON.parse(line) as Record<string, unknown>
  return conditions.every(({ field, value }) => String(row[field]) === value)
}

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

async function vaultOrRefusal(): Promise<Vault> {
  const vault = await findVault(readConfig(process.env))
  if (vault !== null) return vault
  throw new InputError(
    'Archives are encrypted: set MASTER_KEY to the key of the Bursar that wrote them, or DATA_DIR to the folder with its master.key.',
  )
}

function folderOf({ dir }: Folder): string {
  const folder = dir === undefined ? readConfig(process.env).retention.archiveDir : resolve(dir)
  if (folder === null) throw new InputError('Set ARCHIVE_DIR, or name the folder with --dir.')
  if (!existsSync(folder)) throw new InputError(`${folder} does not exist, so there is no archive yet.`)
  return folder
}
