import type { Command } from 'commander'
import { addExamples } from './terminal/help.ts'
import { show } from './terminal/output.ts'
import { withContext } from './with-context.ts'

export function addMigrateCommand(program: Command): void {
  const migrate = program
    .command('migrate')
    .description("bring the database to this version's state; a start of Bursar does the same")
    .action(runMigrate)
  addExamples(migrate, [
    'bursar migrate',
    'DATABASE_URL=postgres://bursar@db.example.in/bursar bursar migrate',
  ])
}

async function runMigrate(): Promise<void> {
  await withContext(async (_ctx, { applied, version }) => {
    const text =
      applied.length === 0
        ? `Nothing to do: the database is at version ${version}.`
        : [...applied.map(name => `Applied ${name}`), `The database is at version ${version}.`].join('\n')
    show({ applied, version }, text)
  })
}
