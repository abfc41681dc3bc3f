import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { smsTemplates, unknownNames } from '../app/senders.ts'
import { addExamples } from './terminal/help.ts'
import { InputError } from './terminal/failures.ts'
import { formatTable, show } from './terminal/output.ts'

export function addSmsCommands(program: Command): void {
  const sms = program.command('sms').description('texts to phones')
  const templates = sms
    .command('templates')
    .description('every text as it is to be registered with DLT, and the template that it is sent under')
    .action(runTemplates)
  addExamples(templates, ['bursar sms templates', 'bursar sms templates --json'])
}

function runTemplates(): void {
  const { sms } = readConfig(process.env)
  const templates = smsTemplates().map(({ name, text }) => {
    const id = sms?.templateIds[name] ?? sms?.templateId
    return { name, ...(id === undefined ? {} : { template_id: id }), text }
  })
  const rows = templates.map(({ name, template_id = 'none', text }) => [name, template_id, text])
  show(templates, formatTable(['NAME', 'TEMPLATE', 'TEXT'], rows))
  const unknown = unknownNames(sms?.templateIds ?? {})
  if (unknown.length > 0)
    throw new InputError(`SMS_TEMPLATE_IDS names no text of ours: ${unknown.join(', ')}.`)
}
