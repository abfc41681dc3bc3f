#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addExamples, finishProgram, reportFailure } from '../../src/cli/terminal.ts'
import { addClockCommands } from './commands/clock.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addEventCommands } from './commands/events.ts'
import { addListenCommand } from './commands/listen.ts'
import { addLogCommands } from './commands/logs.ts'
import { addLoginCommands } from './commands/login.ts'
import { addRequestCommands } from './commands/requests.ts'
import { addSamplesCommand } from './commands/samples.ts'
import { addTriggerCommand } from './commands/trigger.ts'
import { addVerifyCommand } from './commands/verify.ts'

/** The developer's command line: everything goes over the API, as an ERP's requests do. */
const program = new Command('bursar-cli')
  .description(
    'For developers who integrate with Bursar. Without a profile it asks the sandbox of this machine.',
  )
  .version(readVersion())
  .option('--json', 'write JSON for programs instead of text for people')

addExamples(program, [
  'bursar-cli login',
  'bursar-cli listen --forward-to http://localhost:3000/hooks',
  'bursar-cli trigger pay.payment.debited',
])
addLoginCommands(program)
addListenCommand(program)
addTriggerCommand(program)
addEventCommands(program)
addVerifyCommand(program)
addLogCommands(program)
addRequestCommands(program)
addClockCommands(program)
addSamplesCommand(program)
addCompletionCommand(program)
finishProgram(program)

try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error)
}

/** Compiled into the package of its own, this file lies deeper. */
function readVersion(): string {
  const [near, far] = ['../package.json', '../../../package.json'].map(path => new URL(path, import.meta.url))
  const file = near !== undefined && existsSync(near) ? near : far!
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
