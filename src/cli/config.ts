import type { Command } from 'commander'
import { findMisspelt, ALL_SETTINGS } from '../app/config/settings.ts'
import { describeDefault } from '../app/config/setting.ts'
import { readConfig } from '../app/config.ts'
import { addExamples } from './terminal/help.ts'
import { formatTable, show, writeError } from './terminal/output.ts'

export function addConfigCommand(program: Command): void {
  const config = program
    .command('config')
    .description('show every setting with its value, and what is wrong with them')
    .action(runConfig)
  addExamples(config, ['bursar config', 'BURSAR_MODE=live bursar config'])
}

function runConfig(): void {
  const settings = Object.entries(ALL_SETTINGS).map(([name, setting]) => {
    const value = process.env[name]?.trim() ?? ''
    return {
      name,
      description: setting.describes,
      value: value !== '' && setting.isSecret === true ? 'set' : value,
      default: describeDefault(setting),
    }
  })
  const rows = settings.map(({ name, description, value, default: standard }) => [
    name,
    value || (standard === '' ? 'not set' : `${standard} (default)`),
    description,
  ])
  const data = settings.map(setting =>
    Object.fromEntries(Object.entries(setting).filter(([, value]) => value !== '')),
  )
  show(data, formatTable(['SETTING', 'VALUE', 'DESCRIPTION'], rows))
  for (const warning of findMisspelt(process.env)) writeError(warning)
  // Throws, after all is shown, when Bursar would not start with these.
  readConfig(process.env)
}
