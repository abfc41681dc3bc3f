import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { CLUSTER } from '../platform/backup/format.ts'
import { moveDatabase } from '../platform/backup/move.ts'
import { lockDataDir } from '../platform/embedded-postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { addExamples } from './terminal/help.ts'
import { InputError } from './terminal/failures.ts'
import { show, writeError } from './terminal/output.ts'
import { lockServer } from './with-context.ts'

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
