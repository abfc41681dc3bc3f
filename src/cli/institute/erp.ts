import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { readConfig } from '../../app/config.ts'
import { getInstitute } from '../../institutes/institutes.service.ts'
import { LOOKUP_PARAMETERS, type LookupParameter, type NamedStudent } from '../../erp/erp.rules.ts'
import { settingsOutput } from '../../erp/settings/settings.schemas.ts'
import type { ErpSettings } from '../../erp/settings/settings.rules.ts'
import { listErpSettings, removeErpSettings, setErpSettings } from '../../erp/settings/settings.service.ts'
import { testOutput } from '../../erp/pull/pull.schemas.ts'
import type { Shown } from '../../http/wire/output.ts'
import { addExamples, InputError, readHttpUrl, formatTable, formatTime, show } from '../terminal.ts'
import { readBranchCode, readInstituteCode } from '../operator-input.ts'
import { SILENT, withContext } from '../with-database.ts'

/** Secrets are never arguments: those are in the shell's history and in the list of processes. */
type SetOptions = {
  url: string
  branch?: string
  username?: string
  passwordStdin?: true
  passwordEnv?: string
  headerName?: string
  headerValueStdin?: true
  headerValueEnv?: string
  lookup?: LookupParameter[]
  customSchedule?: true
  maxCalls?: number
}

export function addErpCommands(program: Command): void {
  const erp = program.command('erp').description('where an institute’s ERP is asked for students')
  addExamples(erp, ['bursar erp show green-park', 'bursar erp test green-park ADM-1042'])
  addSet(erp)

  const shown = erp
    .command('show')
    .description('show the settings, never their secrets')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .action(runShow)
  addExamples(shown, ['bursar erp show green-park'])

  const remove = erp
    .command('remove')
    .description('remove the settings: nothing is fetched any more, and stored data counts as fresh')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .option('--branch <code>', 'only those of this branch', readBranchCode)
    .action(runRemove)
  addExamples(remove, ['bursar erp remove green-park', 'bursar erp remove green-park --branch EAST'])

  const test = erp
    .command('test')
    .description(
      'ask the ERP for a student and explain its answer field by field; stores nothing but a log entry',
    )
    .argument('<institute>', "the institute's code", readInstituteCode)
    .argument('<identifier>', "the student's identifier")
    .option('--grade <code>', 'grade code')
    .option('--branch <code>', 'branch code', readBranchCode)
    .option('--custom-identifier <text>', 'second identifier')
    .option('--year <start-end>', 'academic year, such as 2026-2027', readYear)
    .action(runTest)
  addExamples(test, ['bursar erp test green-park ADM-1042', 'bursar erp test green-park ADM-1042 --grade 5'])
}

function addSet(erp: Command): void {
  const set = erp
    .command('set')
    .description('set the fetch-student endpoint; replaces everything that was set before')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .requiredOption('--url <url>', 'the endpoint; https in live mode', readHttpUrl)
    .option('--branch <code>', 'only for this branch; its settings win', readBranchCode)
    .option('--username <name>', 'Basic authentication; needs one of the next two')
    .option('--password-stdin', 'read the password from standard input')
    .option('--password-env <name>', 'read the password from this environment variable')
    .option('--header-name <name>', 'a header in place of Basic authentication; needs one of the next two')
    .option('--header-value-stdin', 'read its value from standard input')
    .option('--header-value-env <name>', 'read its value from this environment variable')
    .option('--lookup <names>', `query parameters to send: ${LOOKUP_PARAMETERS.join(', ')}`, readLookup)
    .option('--custom-schedule', 'instalments follow the ERP’s payment_schedule')
    .option('--max-calls <number>', 'calls at once, over all processes (default: 4)', readMaxCalls)
    .action(runSet)
  addExamples(set, [
    'bursar erp set green-park --url https://erp.example.in/fetch-student --username bursar --password-stdin < password.txt',
    'bursar erp set green-park --url https://erp.example.in/students --header-name X-Api-Key --header-value-env ERP_KEY --lookup identifier,grade',
  ])
}

async function runSet(code: string, options: SetOptions): Promise<void> {
  const password = await readSecret('password', options.passwordStdin, options.passwordEnv)
  const value = await readSecret('header-value', options.headerValueStdin, options.headerValueEnv)
  if ((options.username === undefined) !== (password === undefined))
    throw new InputError('--username goes with --password-stdin or --password-env.')
  if ((options.headerName === undefined) !== (value === undefined))
    throw new InputError('--header-name goes with --header-value-stdin or --header-value-env.')
  await withContext(async ctx => {
    const institute = await getInstitute(ctx, code)
    const { headerName: name } = options
    const { after } = await setErpSettings(ctx, { instituteId: institute.id }, institute, {
      url: options.url,
      collectorCode: options.branch,
      username: options.username,
      password,
      header: name === undefined || value === undefined ? undefined : { name, value },
      lookup: options.lookup,
      customSchedule: options.customSchedule,
      maxCalls: options.maxCalls,
    })
    const settings = after === null ? [] : [after]
    show(
      { ...(after && settingsOutput.toJson(after)) },
      `${describe(code, settings)}\nTry it: bursar erp test ${code} IDENTIFIER`,
    )
  })
}

/** One line of it: what an editor puts behind a password is no part of it. */
async function readSecret(
  what: string,
  isStdin: true | undefined,
  variable: string | undefined,
): Promise<string | undefined> {
  if (isStdin === true && variable !== undefined)
    throw new InputError(`Give --${what}-stdin or --${what}-env, not both.`)
  const read = isStdin === true ? await text(process.stdin) : variable && process.env[variable]
  if (read === undefined && variable === undefined) return undefined
  const secret = read?.replace(/\r?\n$/, '')
  if (secret !== undefined && secret !== '') return secret
  throw new InputError(variable === undefined ? 'Standard input is empty.' : `${variable} is not set.`)
}

async function runShow(code: string): Promise<void> {
  await withContext(async ctx => {
    const all = await listErpSettings(ctx, await getInstitute(ctx, code))
    show(
      all.map(one => settingsOutput.toJson(one)),
      describe(code, all),
    )
  })
}

async function runRemove(code: string, options: { branch?: string }): Promise<void> {
  await withContext(async ctx => {
    const institute = await getInstitute(ctx, code)
    const act = { instituteId: institute.id }
    const { before } = await removeErpSettings(ctx, act, institute, { collectorCode: options.branch })
    if (before === null) throw new InputError(`There was nothing to remove: see \`bursar erp show ${code}\`.`)
    show({ removed: true }, `Removed. Nothing is fetched for ${options.branch ?? code} any more.`)
  })
}

type TestOptions = { grade?: string; branch?: string; customIdentifier?: string; year?: [number, number] }

async function runTest(code: string, identifier: string, options: TestOptions): Promise<void> {
  // Loaded here, because every other command would start slower for it.
  const [{ createContext }, { testFetch }] = await Promise.all([
    import('../../app/context.ts'),
    import('../../erp/pull/pull.service.ts'),
  ])
  await withContext(async base => {
    const institute = await getInstitute(base, code)
    const { ctx, closeErp } = await createContext(readConfig(process.env), base, SILENT)
    try {
      const named = toNamed(identifier, options)
      const result = await testFetch(ctx, { instituteId: institute.id }, institute, named)
      const view = testOutput.toJson(result)
      show(view, explain(code, view))
      if (view.outcome !== 'found') process.exitCode = 1
    } finally {
      await closeErp()
    }
  })
}

function toNamed(identifier: string, { grade, branch, customIdentifier, year }: TestOptions): NamedStudent {
  const [academicYearStart, academicYearEnd] = year ?? []
  return { identifier, grade, collectorCode: branch, customIdentifier, academicYearStart, academicYearEnd }
}

function explain(code: string, view: Shown<typeof testOutput>): string {
  if (view.outcome === 'not_configured')
    return `No fetch URL is set for ${code}: see \`bursar erp set --help\`.`
  const { problems, student, fee_components, payment_schedule, user } = view
  const head = [`Asked    ${view.url}`, `Answer   ${view.http_status ?? 'none'}, ${view.duration_ms} ms`]
  if (view.outcome === 'found') {
    const understood = JSON.stringify({ student, fee_components, payment_schedule, user }, null, 2)
    const differences = problems.map(problem => [problem.key, problem.message])
    const named = differences.length === 0 ? [] : ['', formatTable(['FIELD', 'PROBLEM'], differences)]
    return [...head, 'Outcome  found; the student was understood as', '', understood, ...named].join('\n')
  }
  const acts = view.acts_as === undefined ? '' : `, treated as ${view.acts_as}`
  const rows = problems.map(problem => [problem.key, problem.message])
  return [
    ...head,
    `Outcome  ${view.outcome} (${view.code}${acts})`,
    `Message  ${view.message}`,
    ...(rows.length === 0 ? [] : ['', formatTable(['FIELD', 'PROBLEM'], rows)]),
  ].join('\n')
}

function describe(code: string, all: readonly ErpSettings[]): string {
  if (all.length === 0)
    return `${code} has no fetch URL: nothing is fetched, and stored data counts as fresh.`
  const rows = all.map(settings => [
    settings.collectorCode ?? '(all)',
    settings.url,
    authWords(settings),
    settings.lookup.join(','),
    settings.customSchedule ? 'custom' : 'own',
    String(settings.maxCalls),
    formatTime(settings.updatedAt),
  ])
  return formatTable(['BRANCH', 'URL', 'AUTH', 'LOOKUP', 'SCHEDULE', 'CALLS', 'SET'], rows)
}

function authWords({ auth }: ErpSettings): string {
  if (auth.kind === 'none') return 'none'
  return auth.kind === 'basic' ? `Basic, ${auth.username}` : `header ${auth.headerName}`
}

function readLookup(names: string): LookupParameter[] {
  return names.split(',').map(part => {
    const known = LOOKUP_PARAMETERS.find(name => name === part.trim())
    if (known !== undefined) return known
    throw new InputError(`"${part.trim()}" is not a parameter: choose from ${LOOKUP_PARAMETERS.join(', ')}.`)
  })
}

function readMaxCalls(number: string): number {
  if (/^\d{1,3}$/.test(number)) return Number(number)
  throw new InputError(`"${number}" is not a number of calls: write one from 1 to 256.`)
}

function readYear(years: string): [number, number] {
  const [, start, end] = /^(\d{4})-(\d{4})$/.exec(years) ?? []
  if (start !== undefined && end !== undefined) return [Number(start), Number(end)]
  throw new InputError(`"${years}" is not an academic year: write one such as 2026-2027.`)
}
