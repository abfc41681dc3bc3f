import { Argument, type Command } from 'commander'
import {
  createInstitute,
  getInstitute,
  listInstitutes,
  readCallbackKey,
  setStrictCatalogue,
} from '../../institutes/institutes.service.ts'
import type { Branch, Institute } from '../../institutes/institutes.rules.ts'
import { addExamples } from '../terminal/help.ts'
import { collectBranch, readInstituteCode, readName } from '../input.ts'
import { formatTable, show } from '../terminal/output.ts'
import { withContext } from '../with-context.ts'

const STANDARD_BRANCHES = [{ collectorCode: 'MAIN', name: 'Main branch' }]

type CreateOptions = { name: string; branch?: ReturnType<typeof collectBranch>; strict?: true }

export function addInstituteCommands(program: Command): void {
  const institutes = program.command('institutes').description('schools and colleges that collect fees')
  addExamples(institutes, [
    'bursar institutes list',
    'bursar institutes create green-park --name "Green Park School"',
  ])

  const list = institutes.command('list').description('show all institutes').action(runList)
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

async function runList(): Promise<void> {
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

export function branchToJson({ collectorCode, name, isDefault }: Branch): object {
  return { collector_code: collectorCode, name, is_default: isDefault }
}
