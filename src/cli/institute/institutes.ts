import { Argument, type Command } from 'commander'
import {
  createInstitute,
  getInstitute,
  listInstitutes,
  readCallbackKey,
  setStrictCatalogue,
  addBranch,
} from '../../institutes/institutes.service.ts'
import type { Branch, Institute } from '../../institutes/institutes.rules.ts'
import { addExamples, formatTable, show } from '../terminal.ts'
import {
  collectBranch,
  readInstituteCode,
  readName,
  readBranchCode,
  readCatalogueCode,
} from '../operator-input.ts'
import { withContext } from '../with-database.ts'
import { addToCatalogue, listCatalogue } from '../../institutes/catalogue.service.ts'

const STANDARD_BRANCHES = [{ collectorCode: 'MAIN', name: 'Main branch' }]

type CreateOptions = { name: string; branch?: ReturnType<typeof collectBranch>; strict?: true }

export function addInstituteCommands(program: Command): void {
  const institutes = program.command('institutes').description('schools and colleges that collect fees')
  addExamples(institutes, [
    'bursar institutes list',
    'bursar institutes create green-park --name "Green Park School"',
  ])

  const list = institutes.command('list').description('show all institutes').action(listInstitutesCommand)
  addExamples(list, ['bursar institutes list', 'bursar institutes list --json'])

  const create = institutes
    .command('create')
    .description('add an institute')
    .argument(
      '<code>',
      'lower-case letters, digits and hyphens; part of the addresses parents see',
      readInstituteCode,
    )
    .requiredOption('--name <name>', 'as parents know it', readName)
    .option(
      '--branch <code=name>',
      'a branch; repeat for more, the first is the default (MAIN if none)',
      collectBranch,
    )
    .option('--strict', 'refuse grades, components and discounts outside the catalogue')
    .action(runCreate)
  addExamples(create, [
    'bursar institutes create green-park --name "Green Park School"',
    'bursar institutes create sunrise --name "Sunrise Group" --branch NORTH="North campus" --branch SOUTH="South campus" --strict',
  ])

  const strict = institutes
    .command('strict')
    .description('say whether codes outside the catalogue are refused (on) or join it (off)')
    .argument('<code>', "the institute's code", readInstituteCode)
    .addArgument(new Argument('<state>', 'on or off').choices(['on', 'off']))
    .action(runStrict)
  addExamples(strict, ['bursar institutes strict green-park on', 'bursar institutes strict green-park off'])

  const callbackKey = institutes
    .command('callback-key')
    .description("show the key that signs a payer's return to callback_url")
    .argument('<code>', "the institute's code", readInstituteCode)
    .action(runCallbackKey)
  addExamples(callbackKey, ['bursar institutes callback-key green-park'])
}

async function runCallbackKey(code: string): Promise<void> {
  await withContext(async ctx => {
    const key = await readCallbackKey(ctx, await getInstitute(ctx, code))
    show({ callback_key: key }, key)
  })
}

async function listInstitutesCommand(): Promise<void> {
  await withContext(async ctx => {
    const institutes = await listInstitutes(ctx)
    const rows = institutes.map(institute => [
      institute.code,
      institute.name,
      branchCodes(institute),
      institute.strictCatalogue ? 'strict' : 'open',
    ])
    const hint = 'There are no institutes yet. Add one: bursar institutes create CODE --name NAME'
    show(
      institutes.map(toJson),
      rows.length === 0 ? hint : formatTable(['CODE', 'NAME', 'BRANCHES', 'CATALOGUE'], rows),
    )
  })
}

async function runCreate(code: string, options: CreateOptions): Promise<void> {
  await withContext(async ctx => {
    const institute = await createInstitute(ctx, {
      code,
      name: options.name,
      strictCatalogue: options.strict === true,
      branches: options.branch ?? STANDARD_BRANCHES,
    })
    show(
      toJson(institute),
      `Created the institute ${code} with ${institute.branches.length === 1 ? 'the branch' : 'the branches'} ` +
        `${branchCodes(institute)}.\nNext, an API key for its ERP: bursar keys create ${code}`,
    )
  })
}

async function runStrict(code: string, state: 'on' | 'off'): Promise<void> {
  await withContext(async ctx => {
    const institute = await setStrictCatalogue(ctx, code, state === 'on')
    const effect = institute.strictCatalogue
      ? `The catalogue of ${code} is strict: codes outside it are refused.`
      : `The catalogue of ${code} is open: new codes join it.`
    show(toJson(institute), effect)
  })
}

function branchCodes({ branches }: Institute): string {
  return branches.map(branch => branch.collectorCode).join(', ')
}

function toJson({ code, name, strictCatalogue, branches }: Institute): object {
  return { code, name, strict_catalogue: strictCatalogue, branches: branches.map(branchToJson) }
}

function branchToJson({ collectorCode, name, isDefault }: Branch): object {
  return { collector_code: collectorCode, name, is_default: isDefault }
}

export function addBranchCommands(program: Command): void {
  const branches = program.command('branches').description('branches (collectors) of an institute')
  addExamples(branches, [
    'bursar branches list green-park',
    'bursar branches add green-park EAST --name "East campus"',
  ])

  const list = branches
    .command('list')
    .description("show an institute's branches")
    .argument('<institute>', "the institute's code", readInstituteCode)
    .action(listBranchesCommand)
  addExamples(list, ['bursar branches list green-park'])

  const add = branches
    .command('add')
    .description('add a branch; with a second one, requests must name theirs')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .argument('<code>', 'collector code, 1 to 64 characters', readBranchCode)
    .requiredOption('--name <name>', 'as parents know it', readName)
    .option('--default', 'make it the default branch in place of the present one')
    .action(addBranchCommand)
  addExamples(add, [
    'bursar branches add green-park EAST --name "East campus"',
    'bursar branches add green-park HEAD --name "Head office" --default',
  ])
}

async function listBranchesCommand(code: string): Promise<void> {
  await withContext(async ctx => {
    const { branches } = await getInstitute(ctx, code)
    const rows = branches.map(branch => [
      branch.collectorCode,
      branch.name,
      branch.isDefault ? 'default' : '',
    ])
    show(branches.map(branchToJson), formatTable(['CODE', 'NAME', ''], rows))
  })
}

async function addBranchCommand(
  institute: string,
  collectorCode: string,
  options: { name: string; default?: true },
): Promise<void> {
  await withContext(async ctx => {
    const branch = { collectorCode, name: options.name, isDefault: options.default === true }
    await addBranch(ctx, institute, branch)
    const role = branch.isDefault ? 'the default branch' : 'the branch'
    show(branchToJson(branch), `Added ${role} ${collectorCode} to ${institute}.`)
  })
}

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
    .action(listCatalogueCommand)
  addExamples(list, ['bursar catalogue list green-park'])

  const add = catalogue
    .command('add')
    .description('add a code to the catalogue, or name one that is there')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .addArgument(new Argument('<kind>', 'what the code stands for').choices(KINDS))
    .argument('<code>', 'as the ERP sends it, 1 to 64 characters', readCatalogueCode)
    .option('--name <name>', 'for people (default: the code itself)', readName)
    .action(addEntryCommand)
  addExamples(add, [
    'bursar catalogue add green-park component TUITION_FEE --name "Tuition fee"',
    'bursar catalogue add green-park grade 5 --name "Class V"',
  ])
}

async function listCatalogueCommand(institute: string): Promise<void> {
  await withContext(async ctx => {
    const entries = await listCatalogue(ctx, institute)
    const rows = entries.map(entry => [entry.kind, entry.code, entry.name])
    const hint = `The catalogue of ${institute} is empty.`
    show(entries, rows.length === 0 ? hint : formatTable(['KIND', 'CODE', 'NAME'], rows))
  })
}

async function addEntryCommand(
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
