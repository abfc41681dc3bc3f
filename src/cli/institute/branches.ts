import type { Command } from 'commander'
import { addBranch, getInstitute } from '../../institutes/institutes.service.ts'
import { addExamples } from '../terminal/help.ts'
import { readBranchCode, readInstituteCode, readName } from '../input.ts'
import { branchToJson } from './institutes.ts'
import { formatTable, show } from '../terminal/output.ts'
import { withContext } from '../with-context.ts'

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
    .action(runList)
  addExamples(list, ['bursar branches list green-park'])

  const add = branches
    .command('add')
    .description('add a branch; with a second one, requests must name theirs')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .argument('<code>', 'collector code, 1 to 64 characters', readBranchCode)
    .requiredOption('--name <name>', 'as parents know it', readName)
    .option('--default', 'make it the default branch in place of the present one')
    .action(runAdd)
  addExamples(add, [
    'bursar branches add green-park EAST --name "East campus"',
    'bursar branches add green-park HEAD --name "Head office" --default',
  ])
}

async function runList(code: string): Promise<void> {
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

async function runAdd(
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
