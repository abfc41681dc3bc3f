import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addBackupCommands } from './cli/backup.ts'
import { addBranchCommands } from './cli/branches.ts'
import { addCatalogueCommands } from './cli/catalogue.ts'
import { addClockCommands } from './cli/clock.ts'
import { addConfigCommand } from './cli/config.ts'
import { addErpCommands } from './cli/erp.ts'
import { reportFailure } from './cli/failures.ts'
import { addFlexCommands } from './cli/flex.ts'
import { addExamples, finishProgram } from './cli/help.ts'
import { addImportCommand } from './cli/import.ts'
import { addInstituteCommands } from './cli/institutes.ts'
import { addKeyCommands } from './cli/keys.ts'
import { addListenCommand } from './cli/listen.ts'
import { addMoneyCommands } from './cli/money.ts'
import { addMigrateCommand } from './cli/migrate.ts'
import { addOpenApiCommand } from './cli/openapi.ts'
import { addSeedCommand } from './cli/seed.ts'
import { addSmsCommands } from './cli/sms.ts'
import { addTriggerCommand } from './cli/trigger.ts'
import { addUserCommands } from './cli/users.ts'

/** The operator's command line. It reads the same environment as Bursar itself, and may run beside it. */
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const program = new Command('bursar')
  .description("The operator's commands of Bursar. Settings come from the environment: see `bursar config`.")
  .version(version)
  .option('--json', 'write JSON for programs instead of text for people')

addExamples(program, [
  'bursar institutes create green-park --name "Green Park School"',
  'bursar keys create green-park',
  'bursar backup /backups/bursar-monday',
])
addInstituteCommands(program)
addBranchCommands(program)
addCatalogueCommands(program)
addKeyCommands(program)
addUserCommands(program)
addErpCommands(program)
addImportCommand(program)
addFlexCommands(program)
addSmsCommands(program)
addMoneyCommands(program)
addBackupCommands(program)
addMigrateCommand(program)
addConfigCommand(program)
addOpenApiCommand(program)
addClockCommands(program)
addSeedCommand(program)
addTriggerCommand(program)
addListenCommand(program)
finishProgram(program)

try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error)
}
