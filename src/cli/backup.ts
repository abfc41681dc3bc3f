import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig, type Config } from '../app/config.ts'
import { CLUSTER, KEY_FILE } from '../platform/backup/format.ts'
import { rehearseRestore } from '../platform/backup/rehearse.ts'
import { noteRestoreTrial } from '../platform/backup/restore-trial.ts'
import { restoreBackup } from '../platform/backup/restore.ts'
import { writeBackup } from '../platform/backup/write.ts'
import { openEmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { readSchemaChecksums } from '../platform/db/migrate.ts'
import { parseMasterKey, Vault } from '../platform/secrets.ts'
import { addExamples } from './terminal/help.ts'
import { InputError } from './terminal/failures.ts'
import { formatBytes, formatTime, show, startProgress } from './terminal/output.ts'
import { lockServer } from './data-dir-lock.ts'

export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .description('write the embedded database into one file; Bursar may run on')
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
  const { dataDir, masterKey } = readEmbeddedConfig()
  const file = resolve(name)
  if (!existsSync(join(dataDir, CLUSTER))) {
    throw new InputError(`${dataDir} has no database, so there is nothing to back up. Check DATA_DIR.`)
  }
  const embedded = await openEmbeddedPostgres({ dataDir })
  const letGo = await lockServer(embedded)
  const progress = startProgress('Read')
  const interruption = watchInterruption()
  try {
    const { bytes } = await writeBackup({
      dataDir,
      file,
      connection: embedded.connection,
      onProgress(bytesRead) {
        // Thrown inside the work, so that its own clean-up removes the unfinished file.
        interruption.throwIfInterrupted()
        progress.tick(bytesRead)
      },
    })
    progress.end()
    const advice =
      masterKey === null
        ? 'It holds the master key too: anyone who has the file can read every secret in it.'
        : 'MASTER_KEY is not in it: keep that as well, or the backup cannot be used.'
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
    // For `bursar doctor`. A backup can be tried on a machine that has no database of its own.
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

/** What the backup must agree with: this release's schema, and the master key where one is known. */
async function readExpectations({ masterKey, dataDir }: Config) {
  const text = await readFile(join(dataDir, KEY_FILE), 'utf8').catch(() => '')
  const key = masterKey ?? parseMasterKey(text.trim())
  return {
    schemaVersion: (await readSchemaChecksums()).length,
    masterKeyFingerprint: key === null ? null : new Vault(key).fingerprint(),
  }
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
    const lines = [`Restored the backup of ${formatTime(new Date(createdAt))} into ${dataDir}.`]
    const hasKey = config.masterKey !== null || existsSync(join(dataDir, KEY_FILE))
    lines.push(
      hasKey ? 'Start Bursar to use it.' : 'Start Bursar with the MASTER_KEY that the backup was made under.',
    )
    show({ file, data_dir: dataDir, created_at: createdAt, has_master_key: hasKey }, lines.join('\n'))
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
