import { copyFileSync, existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { addExamples, InputError, show } from '../../../src/cli/terminal.ts'
import { oneOf } from '../suggest.ts'

/** In the package, and in the repository that it is made of. */
const FOLDERS = ['../../../../samples', '../../../docs/erp-developer/samples'].map(path =>
  fileURLToPath(new URL(path, import.meta.url)),
)

export function addSamplesCommand(program: Command): void {
  const samples = program
    .command('samples')
    .description('list sample programs and files, or copy one into this folder')
    .argument('[name]', 'which one')
    .option('--force', 'replace a file of that name', false)
    .action(runSamples)
  addExamples(samples, ['bursar-cli samples', 'bursar-cli samples receive-webhooks.mjs'])
}

function runSamples(name: string | undefined, { force }: { force: boolean }): void {
  const folder = FOLDERS.find(existsSync)
  if (folder === undefined) throw new InputError('The samples are missing from this package.')
  const names = readdirSync(folder).sort()
  if (name === undefined) {
    show(names, names.join('\n'))
    return
  }
  const file = resolve(oneOf(name, names, 'a sample'))
  if (existsSync(file) && !force) throw new InputError(`${file} exists already; --force replaces it.`)
  copyFileSync(resolve(folder, name), file)
  show({ file }, `Wrote ${file}.`)
}
