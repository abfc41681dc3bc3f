import { Client } from 'pg'
import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { distribute } from '../platform/citus/distribute.ts'
import { readShardGroups, survey, type Survey } from '../platform/citus/survey.ts'
import { verifyDistribution } from '../platform/citus/verify.ts'
import { splitDatabaseUrl } from '../platform/db/database-url.ts'
import { addExamples } from './terminal/help.ts'
import { InputError } from './terminal/failures.ts'
import { formatBytes, formatTable, show, writeError } from './terminal/output.ts'

const MOST_SHARDS = 128

export function addDistributeCommand(program: Command): void {
  const command = program
    .command('distribute')
    .description('spread the schools over the nodes of a Citus; safe to repeat, goes on where it was stopped')
    .option('--dry-run', 'only say what would become of each table, and what stands in the way')
    .option('--shards <number>', 'into how many parts the schools are divided', readShards, 32)
    .action(runDistribute)
  addExamples(command, ['bursar distribute --dry-run', 'bursar distribute', 'bursar distribute --shards 64'])
}

function readShards(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= MOST_SHARDS) return number
  throw new InputError(`--shards must be a whole number from 1 to ${MOST_SHARDS}.`)
}

async function runDistribute(options: { dryRun?: boolean; shards: number }): Promise<void> {
  const client = await connect()
  try {
    const found = await survey(client)
    if (options.dryRun === true) return showSurvey(found)
    if (found.obstacles.length > 0)
      throw new InputError(
        ['This stands in the way:', ...found.obstacles.map(line => `  ${line}`)].join('\n'),
      )
    writeError('Take a backup of this database before, if the last one is old: there is no way back but it.')
    const { rows } = await distribute(client, {
      placements: found.tables,
      shards: options.shards,
      onStep: ({ text, number, of }) =>
        writeError(`${String(number).padStart(String(of).length)} of ${of}  ${text}`),
    })
    const problems = await verifyDistribution(client, found.tables)
    if (problems.length > 0)
      throw new Error(['The tables are distributed, but:', ...problems.map(line => `  ${line}`)].join('\n'))
    const groups = await readShardGroups(client)
    show(
      { rows, groups },
      [
        `${rows} rows were moved, counted and compared. Every shard has its triggers, and the ledger is complete.`,
        formatTable(
          ['NODE', 'SHARDS', 'SIZE', 'SCHOOLS'],
          groups.map(({ node, shards, bytes, institutes }) => [
            node,
            String(shards),
            formatBytes(bytes),
            String(institutes),
          ]),
        ),
        'Start Bursar again, and run `bursar reconcile`.',
      ].join('\n'),
    )
  } finally {
    await client.end()
  }
}

/** Not through a pooler, and without the time limits of a request. */
async function connect(): Promise<Client> {
  const { databaseUrl } = readConfig(process.env)
  if (databaseUrl === null)
    throw new InputError(
      'The embedded server is one PostgreSQL. Move to a server of your own first (`bursar move`), then set DATABASE_URL.',
    )
  const urls = splitDatabaseUrl(databaseUrl)
  if (urls.length > 1)
    throw new InputError('DATABASE_URL names several hosts. Name the coordinator that takes writes alone.')
  const client = new Client({
    connectionString: urls[0],
    application_name: 'bursar distribute',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

function showSurvey(found: Survey): void {
  const nodes = found.nodes.map(({ name, isCoordinator, holdsShards }) =>
    [name, isCoordinator ? 'coordinator' : 'worker', ...(holdsShards ? ['takes shards'] : [])].join(', '),
  )
  const lines = [
    `Citus ${found.citus ?? 'is not there'}`,
    ...nodes.map(line => `  ${line}`),
    formatTable(
      ['TABLE', 'ROWS', 'IS', 'BECOMES', 'BECAUSE'],
      found.tables.map(({ name, rows, is, kind, because }) => [name, String(rows), is, kind, because]),
    ),
    ...(found.isUnderWay ? ['A run before was not finished; the next one goes on where it stopped.'] : []),
    ...(found.obstacles.length === 0
      ? ['Nothing stands in the way.']
      : ['This stands in the way:', ...found.obstacles.map(line => `  ${line}`)]),
  ]
  show(found, lines.join('\n'))
  if (found.obstacles.length > 0) process.exitCode = 1
}
