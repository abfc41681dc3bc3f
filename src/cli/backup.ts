import { existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../app/config.ts'
import { findVault, KEY_FILE } from '../app/installation.ts'
import {
  addExamples,
  InputError,
  formatBytes,
  formatTime,
  show,
  startProgress,
  writeError,
} from './terminal.ts'
import { lockServer } from './with-database.ts'
import { CLUSTER } from '../platform/backup/format.ts'
import { moveDatabase } from '../platform/backup/move.ts'
import { noteRestoreTrial, rehearseRestore, restoreBackup } from '../platform/backup/restore.ts'
import { writeBackup } from '../platform/backup/write.ts'
import { readSchemaChecksums } from '../platform/db/migrate.ts'
import { lockDataDir } from '../platform/embedded-postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import type { Vault } from '../platform/secrets.ts'

export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .description(
      'write the embedded database into one file, encrypted under the master key; Bursar may run on',
    )
    .argument('<file>', 'a new file')
    .action(runBackup)
  addExamples(backup, [
    'bursar backup /backups/bursar-monday',
    'DATA_DIR=/srv/bursar bursar backup bursar.backup',
  ])

  const verify = backup
    .command('verify')
    .description('restore a backup into a temporary folder, start it and read every row')
    .argument('<file>', 'a file that `bursar backup` wrote')
    .option('--folder <folder>', 'where there is room for it', tmpdir())
    .action(runVerify)
  addExamples(verify, ['bursar backup verify /backups/bursar-monday'])

  const restore = program
    .command('restore')
    .description('unpack a backup into a DATA_DIR that has no database')
    .argument('<file>', 'a file that `bursar backup` wrote')
    .action(runRestore)
  addExamples(restore, ['DATA_DIR=/srv/bursar-new bursar restore /backups/bursar-monday'])
}

async function runBackup(name: string): Promise<void> {
  const config = readEmbeddedConfig()
  const { dataDir, masterKey } = config
  const file = resolve(name)
  if (!existsSync(join(dataDir, CLUSTER))) {
    throw new InputError(`${dataDir} has no database, so there is nothing to back up. Check DATA_DIR.`)
  }
  const vault = await vaultOrRefusal(config)
  const embedded = await openEmbeddedPostgres({ dataDir })
  const letGo = await lockServer(embedded)
  const progress = startProgress('Read')
  const interruption = watchInterruption()
  try {
    const { bytes } = await writeBackup({
      dataDir,
      file,
      connection: embedded.connection,
      vault,
      onProgress(bytesRead) {
        // Thrown inside the work, so that its own clean-up removes the unfinished file.
        interruption.throwIfInterrupted()
        progress.tick(bytesRead)
      },
    })
    progress.end()
    const key = masterKey === null ? join(dataDir, KEY_FILE) : 'MASTER_KEY'
    const advice = `It is encrypted, and ${key} is not in it: keep that too, apart from the backup, or nobody can read it.`
    show({ file, bytes }, `Wrote ${file} (${formatBytes(bytes)}).\n${advice}`)
  } finally {
    progress.end()
    interruption.stop()
    await letGo()
  }
}

async function runVerify(name: string, { folder }: { folder: string }): Promise<void> {
  const file = resolve(name)
  const progress = startProgress('Read', statSync(file, { throwIfNoEntry: false })?.size)
  try {
    const config = readEmbeddedConfig()
    const found = await rehearseRestore({
      file,
      folder,
      ...(await readExpectations(config)),
      onProgress: bytes => progress.tick(bytes),
    })
    progress.end()
    // `bursar doctor` reads this note. A backup can be tried on a machine that has no database of its own.
    if (existsSync(config.dataDir)) await noteRestoreTrial(config.dataDir, { at: new Date(), file })
    const { createdAt, tables, rows } = found
    show(
      { file, created_at: createdAt, tables, rows },
      `${file} is good: the backup of ${formatTime(new Date(createdAt))} was restored and started, ` +
        `and all ${rows} rows of ${tables} tables were read.`,
    )
  } finally {
    progress.end()
  }
}

/** What the backup must agree with: this release's schema, and the key that it was made under. */
async function readExpectations(config: Config): Promise<{ schemaVersion: number; vault: Vault }> {
  return { schemaVersion: (await readSchemaChecksums()).length, vault: await vaultOrRefusal(config) }
}

async function vaultOrRefusal(config: Config): Promise<Vault> {
  const vault = await findVault(config)
  if (vault !== null) return vault
  throw new InputError(
    `A backup is encrypted under the master key: set MASTER_KEY, or put the ${KEY_FILE} of that Bursar into ${config.dataDir}.`,
  )
}

async function runRestore(name: string): Promise<void> {
  const config = readEmbeddedConfig()
  const { dataDir } = config
  const file = resolve(name)
  const progress = startProgress('Restored', statSync(file, { throwIfNoEntry: false })?.size)
  try {
    const { createdAt } = await restoreBackup({
      dataDir,
      file,
      ...(await readExpectations(config)),
      onProgress: bytes => progress.tick(bytes),
    })
    progress.end()
    const start = config.masterKey === null ? 'Start Bursar' : 'Start Bursar with the same MASTER_KEY'
    show(
      { file, data_dir: dataDir, created_at: createdAt },
      `Restored the backup of ${formatTime(new Date(createdAt))} into ${dataDir}.\n${start} to use it.`,
    )
  } finally {
    progress.end()
  }
}

function readEmbeddedConfig(): Config {
  const config = readConfig(process.env)
  if (config.databaseUrl === null) return config
  throw new InputError(
    'DATABASE_URL is set: back up and restore that server with its own tools, such as pg_dump and pg_restore, ' +
      'or pg_basebackup. This command is for the embedded server.',
  )
}

function watchInterruption(): { throwIfInterrupted(): void; stop(): void } {
  let isInterrupted = false
  const note = (): void => {
    isInterrupted = true
  }
  process.on('SIGINT', note).on('SIGTERM', note)
  return {
    throwIfInterrupted() {
      if (isInterrupted) throw new InputError('Interrupted: no backup was written.')
    },
    stop() {
      process.off('SIGINT', note).off('SIGTERM', note)
    },
  }
}

export function addMoveCommand(program: Command): void {
  const move = program
    .command('move')
    .description('copy everything from the embedded server to an empty PostgreSQL of your own')
    .requiredOption(
      '--to <url>',
      'address of the new database, such as postgres://bursar@db.example.in/bursar',
    )
    .action(runMove)
  addExamples(move, [
    'DATA_DIR=/srv/bursar bursar move --to postgres://bursar@db.example.in/bursar',
    'PGPASSWORD=… bursar move --to postgres://bursar@db.example.in/bursar',
  ])
}

async function runMove({ to }: { to: string }): Promise<void> {
  const { dataDir, databaseUrl, masterKey } = readConfig(process.env)
  if (databaseUrl !== null)
    throw new InputError(
      'DATABASE_URL is set, so the embedded server is not in use. Unset it to move its data.',
    )
  if (!/^postgres(ql)?:$/.test(URL.parse(to)?.protocol ?? ''))
    throw new InputError('--to must be an address such as postgres://bursar@db.example.in/bursar.')
  if (!existsSync(join(dataDir, CLUSTER)))
    throw new InputError(`${dataDir} has no database, so there is nothing to move. Check DATA_DIR.`)
  const embedded = await openEmbeddedPostgres({ dataDir })
  const letGo = await lockServer(embedded)
  try {
    // Held all the time: what a Bursar wrote meanwhile would stay behind.
    const lock = await lockDataDir(embedded.connection)
    if (lock === null)
      throw new InputError('Bursar is running. Stop it first: what it wrote meanwhile would stay behind.')
    try {
      const { tables, rows } = await moveDatabase({
        source: { ...embedded.connection, port: 5432, ssl: false },
        target: { connectionString: to },
        onTable: ({ name, rows: copied, number, of }) =>
          writeError(`${String(number).padStart(String(of).length)} of ${of}  ${name}: ${copied} rows\n`),
      })
      const key = masterKey === null ? `the key in ${join(dataDir, 'master.key')}` : 'the same key as now'
      show(
        { tables, rows },
        [
          `Moved ${rows} rows of ${tables} tables; both sides were compared and are equal.`,
          `Start Bursar with DATABASE_URL set to the new database and MASTER_KEY set to ${key}.`,
          `${dataDir} was not changed. Keep it until the first backup of the new database is made.`,
        ].join('\n'),
      )
    } finally {
      await lock.release()
    }
  } finally {
    await letGo()
  }
}
