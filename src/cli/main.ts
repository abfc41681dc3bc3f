import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addArchiveCommands } from './archive.ts'
import { addBackupCommands, addMoveCommand } from './backup.ts'
import { addBranchCommands, addCatalogueCommands, addInstituteCommands } from './institute/institutes.ts'
import { addCellCommands } from './cells/cells.ts'
import {
  addConfigCommand,
  addDoctorCommand,
  addMigrateCommand,
  addSmsCommands,
  addStatusCommand,
} from './installation.ts'
import { addErpCommands } from './institute/erp.ts'
import { addExamples, finishProgram, reportFailure } from './terminal.ts'
import { describeFailure } from './with-database.ts'
import { addFlexCommands } from './institute/flex.ts'
import { addImportCommand } from './institute/import.ts'
import { addKeyCommands } from './institute/keys.ts'
import { addLenderCommands } from './lenders.ts'
import { addMoneyCommands, addPaymentCommands } from './payments.ts'
import { addProviderCommands } from './institute/providers.ts'
import { addOpenApiCommand } from './openapi.ts'
import { addSeedCommand } from './seed.ts'
import { addSupportCommand } from './support.ts'
import { addUpgradeCommand } from './upgrade.ts'
import { addUserCommands } from './institute/users.ts'

/** The operator's command line. It reads the same environment as Bursar itself, and may run beside it. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const program = new Command('bursar')
  .description("The operator's commands of Bursar. Settings come from the environment: see `bursar config`.")
  .version(version)
  .addHelpText(
    'beforeAll',
    'Without a command, or with `bursar start`, Bursar itself is started in this folder.\n',
  )
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
addProviderCommands(program)
addLenderCommands(program)
addImportCommand(program)
addFlexCommands(program)
addSmsCommands(program)
addMoneyCommands(program)
addPaymentCommands(program)
addBackupCommands(program)
addArchiveCommands(program)
addMoveCommand(program)
addCellCommands(program)
addMigrateCommand(program)
addUpgradeCommand(program)
addConfigCommand(program)
addDoctorCommand(program)
addStatusCommand(program)
addSupportCommand(program)
addOpenApiCommand(program)
addSeedCommand(program)
finishProgram(program)

try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error, describeFailure)
}
