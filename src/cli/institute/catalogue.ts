import { Argument, type Command } from 'commander'
import { addToCatalogue, listCatalogue } from '../../institutes/catalogue.service.ts'
import { addExamples } from '../terminal/help.ts'
import { readCatalogueCode, readInstituteCode, readName } from '../input.ts'
import { formatTable, show } from '../terminal/output.ts'
import { withContext } from '../with-context.ts'

type Kind = Parameters<typeof addToCatalogue>[2]['kind']

const KINDS: readonly Kind[] = ['grade', 'component', 'discount']

export function addCatalogueCommands(program: Command): void {
  const catalogue = program
    .command('catalogue')
    .description('grades, fee components and discounts that an institute knows')
  addExamples(catalogue, [
    'bursar catalogue list green-park',
    'bursar catalogue add green-park component TUITION_FEE --name "Tuition fee"',
  ])

  const list = catalogue
    .command('list')
    .description("show an institute's catalogue")
    .argument('<institute>', "the institute's code", readInstituteCode)
    .action(runList)
  addExamples(list, ['bursar catalogue list green-park'])

  const add = catalogue
    .command('add')
    .description('add a code to the catalogue, or name one that is there')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .addArgument(new Argument('<kind>', 'what the code stands for').choices(KINDS))
    .argument('<code>', 'as the ERP sends it, 1 to 64 characters', readCatalogueCode)
    .option('--name <name>', 'for people (default: the code itself)', readName)
    .action(runAdd)
  addExamples(add, [
    'bursar catalogue add green-park component TUITION_FEE --name "Tuition fee"',
    'bursar catalogue add green-park grade 5 --name "Class V"',
  ])
}

async function runList(institute: string): Promise<void> {
  await withContext(async ctx => {
    const entries = await listCatalogue(ctx, institute)
    const rows = entries.map(entry => [entry.kind, entry.code, entry.name])
    const hint = `The catalogue of ${institute} is empty.`
    show(entries, rows.length === 0 ? hint : formatTable(['KIND', 'CODE', 'NAME'], rows))
  })
}

async function runAdd(
  institute: string,
  kind: Kind,
  code: string,
  options: { name?: string },
): Promise<void> {
  await withContext(async ctx => {
    const known = (await listCatalogue(ctx, institute)).find(
      entry => entry.kind === kind && entry.code === code,
    )
    const entry = { kind, code, name: options.name ?? known?.name ?? code }
    await addToCatalogue(ctx, institute, entry)
    show(entry, `The ${kind} ${code} is in the catalogue of ${institute} as "${entry.name}".`)
  })
}
