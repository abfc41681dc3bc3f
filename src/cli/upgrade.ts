import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { planUpgrade, type UpgradePlan } from '../app/upgrade/upgrade.service.ts'
import { addExamples, formatBytes, formatTable, show } from './terminal.ts'
import { toJson } from './installation.ts'
import { withDatabase } from './with-database.ts'

export function addUpgradeCommand(program: Command): void {
  const upgrade = program
    .command('upgrade')
    .description(
      'what a start of this version would do to the database; exits with 1 if it would be refused or lacks room',
    )
    // A start upgrades by itself.
    .requiredOption('--check', 'only look: nothing is changed')
    .action(runCheck)
  addExamples(upgrade, ['bursar upgrade --check', 'bursar upgrade --check --json'])
}

async function runCheck(): Promise<void> {
  const config = readConfig(process.env)
  const plan = await withDatabase(config, ({ db }) => planUpgrade(config, db))
  show(toJson(plan), describe(plan))
  if (plan.problems.length > 0) process.exitCode = 1
}

function describe(plan: UpgradePlan): string {
  const { version, from, to, migrations, seconds, bytes, disk, staysUp, problems } = plan
  if (migrations.length === 0)
    return `Nothing to do: the schema, ${from}, is one that Bursar ${version} works with.`
  const rows = migrations.flatMap(({ name, steps }) =>
    steps.map(step => [name, step.statement, formatSeconds(step.seconds)]),
  )
  const free = disk === null ? "on the database's server" : `of ${formatBytes(disk.freeBytes)} that are free`
  return [
    `Bursar ${version} brings the schema from ${from} to ${to}:`,
    formatTable(['MIGRATION', 'STATEMENT', 'ABOUT'], rows),
    `Estimated from the sizes of the tables: ${formatSeconds(seconds)}, and ${formatBytes(bytes)} of disk ${free}.`,
    staysUp
      ? 'Processes of the version before work on beside it.'
      : 'Processes of the version before stop working once it has run: stop them first.',
    ...problems,
  ].join('\n\n')
}

function formatSeconds(seconds: number): string {
  if (seconds < 1) return '< 1 s'
  return seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}
