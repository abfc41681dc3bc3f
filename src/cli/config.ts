import type { Command } from 'commander'
import { CONFIG_KEYS } from '../app/config-keys.ts'
import { readConfig } from '../app/config.ts'
import { addExamples } from './help.ts'
import { formatTable, show } from './output.ts'

export function addConfigCommand(program: Command): void {
  const config = program
    .command('config')
    .description('show every setting with its value, and say what is wrong with them')
    .action(runConfig)
  addExamples(config, ['bursar config', 'BURSAR_MODE=live bursar config'])
}

function runConfig(): void {
  const settings = CONFIG_KEYS.map(({ name, describes, standard, isSecret }) => {
    const value = process.env[name]?.trim() ?? ''
    return { name, describes, standard, value: value !== '' && isSecret === true ? 'set' : value }
  })
  const rows = settings.map(({ name, describes, standard, value }) => [
    name,
    value || (standard === '' ? 'not set' : `${standard} (default)`),
    describes,
  ])
  const data = settings.map(({ name, describes, standard, value }) => ({
    name,
    description: describes,
    ...(value === '' ? {} : { value }),
    ...(standard === '' ? {} : { default: standard }),
  }))
  show(data, formatTable(['SETTING', 'VALUE', 'DESCRIPTION'], rows))
  // Throws, after all is shown, when Bursar would not start with these.
  readConfig(process.env)
}
