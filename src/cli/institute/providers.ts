import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { readConfig } from '../../app/config.ts'
import { recordAudit, type AuditNote } from '../../console/audit/audit.service.ts'
import { noteOfAdded, noteOfChange, noteOfCheck } from '../../console/settings/provider-accounts.routes.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { getInstitute } from '../../institutes/institutes.service.ts'
import { BursarError } from '../../platform/errors.ts'
import type { Command as Act } from '../../platform/idempotency.ts'
import { accountOutput, checkedAccountOutput } from '../../providers/accounts/account.schemas.ts'
import { stateOf, type ProviderAccount, type EnteredValue } from '../../providers/accounts/accounts.rules.ts'
import {
  addAccount,
  checkAccount,
  listAccounts,
  pauseAccount,
  resumeAccount,
  rotateAccount,
  type AccountsContext,
} from '../../providers/accounts/accounts.service.ts'
import { AccountRegistry } from '../../providers/accounts/registry.service.ts'
import { EXAMPLE, PROVIDERS } from '../../providers/catalogue.ts'
import type { Rail, PaymentMode } from '../../providers/port.ts'
import { addExamples, InputError, formatTable, formatTime, show } from '../terminal.ts'
import { readBranchCode, readInstituteCode, readName } from '../operator-input.ts'
import { withContext } from '../with-database.ts'

const METHODS = ['upi', 'card', 'netbanking'] as const
const RAILS = ['enach', 'upi_autopay'] as const
const BY = 'Command line'
const SECRETS = 'secrets are never arguments: those stand in the shell’s history and the list of processes'

type AddOptions = { title: string; branch?: string; methods: PaymentMode[]; rails: Rail[]; env?: true }

export function addProviderCommands(program: Command): void {
  const providers = program
    .command('providers')
    .description('accounts of institutes and branches at payment providers')
  addExamples(providers, [
    `bursar providers add green-park ${EXAMPLE.name} --title "Main account" < keys.txt`,
    'bursar providers check green-park pa_01k9zq4m0ve8sbn6yt2hw3c5da',
  ])
  const add = providers
    .command('add')
    .description(`set an account up from lines FIELD=VALUE on standard input; ${SECRETS}`)
    .argument('<institute>', "the institute's code", readInstituteCode)
    .argument('<provider>', Object.keys(PROVIDERS).join(', '))
    .requiredOption('--title <name>', 'what people call it', readName)
    .option('--branch <code>', 'only for this branch (default: the whole institute)', readBranchCode)
    .option('--methods <list>', `of ${METHODS.join(',')}; none for no payments`, listOf(METHODS), [
      ...METHODS,
    ])
    .option('--rails <list>', `mandates: of ${RAILS.join(',')}; none for no mandates`, listOf(RAILS), [])
    .option('--env', 'read ACCOUNT_KEY_ID and so on from the environment instead of standard input')
    .action(runAdd)
  addExamples(add, [
    `bursar providers add green-park ${EXAMPLE.name} --title "Main account" --rails enach,upi_autopay < keys.txt`,
    `bursar providers add green-park ${EXAMPLE.name} --title "East campus" --branch EAST --env`,
  ])
  const list = providers
    .command('list')
    .description('show the accounts of an institute, never their secrets')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .action(runList)
  addExamples(list, ['bursar providers list green-park'])
  addActs(providers)
}

function addActs(providers: Command): void {
  const act = (name: string, description: string) =>
    providers
      .command(name)
      .description(description)
      .argument('<institute>', "the institute's code", readInstituteCode)
      .argument('<account>', 'its id: `bursar providers list INSTITUTE`')
  const check = act('check', 'make one harmless call with its credentials and say what is wrong').action(
    runCheck,
  )
  addExamples(check, ['bursar providers check green-park pa_01k9zq4m0ve8sbn6yt2hw3c5da'])
  const pause = act('pause', 'take nothing new through it; what is under way is finished').action(
    (code: string, id: string) => runChange('paused', code, id),
  )
  addExamples(pause, ['bursar providers pause green-park pa_01k9zq4m0ve8sbn6yt2hw3c5da'])
  const resume = act('resume', 'use it again').action((code: string, id: string) =>
    runChange('resumed', code, id),
  )
  addExamples(resume, ['bursar providers resume green-park pa_01k9zq4m0ve8sbn6yt2hw3c5da'])
  const rotate = act(
    'rotate',
    'replace credentials; callbacks signed with the old ones count for three days more',
  )
    .option('--env', 'read ACCOUNT_KEY_ID and so on from the environment instead of standard input')
    .action(runRotate)
  addExamples(rotate, ['bursar providers rotate green-park pa_01k9zq4m0ve8sbn6yt2hw3c5da < new-keys.txt'])
}

async function runAdd(code: string, provider: string, options: AddOptions): Promise<void> {
  const settings = await readSettings(provider, options.env)
  const { title, branch: collectorCode = null, methods, rails } = options
  await withAccounts(code, async (ctx, institute) => {
    const wanted = { provider, title, collectorCode, methods, rails, settings }
    const act = actOf(ctx, institute, noteOfAdded)
    const account = await addAccount(ctx, act, { institute, by: BY }, wanted)
    const callback = `${ctx.publicUrl}/callbacks/${provider}/${account.id}`
    show(
      { ...accountOutput.toJson(account), callback_url: callback },
      `${title} is set up as ${account.id}. Enter this address for webhooks at the provider:\n  ${callback}\n` +
        `Then try it: bursar providers check ${code} ${account.id}`,
    )
  })
}

async function runList(code: string): Promise<void> {
  await withAccounts(code, async (ctx, institute) => {
    const accounts = await listAccounts(ctx, institute)
    const headings = ['ID', 'NAME', 'PROVIDER', 'BRANCH', 'TAKES', 'KEY', 'STATE', 'LAST CALLBACK']
    const rows = accounts.map(account => [
      account.id,
      account.title,
      account.provider,
      account.collectorCode ?? 'all',
      [...account.methods, ...account.rails].join(',') || 'nothing',
      account.keyHint,
      stateOf(account),
      account.heardAt === null ? 'never' : formatTime(account.heardAt),
    ])
    const hint = `${code} has none of its own: its money goes to the account of the installation, if there is one.`
    show(
      accounts.map(account => accountOutput.toJson(account)),
      rows.length === 0 ? hint : formatTable(headings, rows),
    )
  })
}

async function runCheck(code: string, accountId: string): Promise<void> {
  await withAccounts(code, async (ctx, institute) => {
    const act = actOf(ctx, institute, noteOfCheck)
    const checked = await checkAccount(ctx, act, { institute, accountId })
    const { heardAt } = checked.account
    const heard =
      heardAt === null ? 'No callback has come yet.' : `The last callback came ${formatTime(heardAt)}.`
    show(checkedAccountOutput.toJson(checked), `${checked.problem ?? 'The provider accepts it.'} ${heard}`)
    if (checked.problem !== null) process.exitCode = 1
  })
}

async function runChange(what: 'paused' | 'resumed', code: string, accountId: string): Promise<void> {
  await withAccounts(code, async (ctx, institute) => {
    const change = what === 'paused' ? pauseAccount : resumeAccount
    const act = actOf(ctx, institute, (done: Awaited<ReturnType<typeof change>>) =>
      noteOfChange(what, done, undefined),
    )
    const { after } = await change(ctx, act, { institute, accountId, by: BY })
    showAfter(after, `${after.title} is ${what}.`)
  })
}

async function runRotate(code: string, accountId: string, options: { env?: true }): Promise<void> {
  await withAccounts(code, async (ctx, institute) => {
    const known = (await listAccounts(ctx, institute)).find(({ id }) => id === accountId)
    if (known === undefined) throw new InputError(`${code} has no account ${accountId}.`)
    const settings = await readSettings(known.provider, options.env)
    const act = actOf(ctx, institute, (done: Awaited<ReturnType<typeof rotateAccount>>) =>
      noteOfChange('rotated', done, undefined),
    )
    const { after } = await rotateAccount(ctx, act, { institute, accountId, by: BY }, settings)
    showAfter(
      after,
      `${after.title} uses the key ${after.keyHint} now. Try it: bursar providers check ${code} ${accountId}`,
    )
  })
}

function showAfter(account: ProviderAccount, message: string): void {
  show(accountOutput.toJson(account), message)
}

async function withAccounts(
  code: string,
  work: (ctx: AccountsContext, institute: Institute) => Promise<void>,
): Promise<void> {
  const { providerUrls: apiUrls, providers: values } = readConfig(process.env)
  await withContext(async base => {
    const accounts = new AccountRegistry(base, new Map(), { apiUrls, values })
    try {
      await work({ ...base, accounts }, await getInstitute(base, code))
    } catch (error) {
      throw asTyped(error)
    }
  })
}

/** Names what is wrong as it was typed: `key_id`, which the API has as `settings.key_id`; and all of it at once. */
function asTyped(error: unknown): unknown {
  if (!(error instanceof BursarError) || error.problems === undefined) return error
  const lines = error.problems.map(({ key, message }) => `${key.replace(/^settings\./, '')} ${message}`)
  return new InputError(lines.join('\n'))
}

function actOf<Result>(
  ctx: AccountsContext,
  { id: instituteId }: Institute,
  noteOf: (result: Result) => AuditNote,
): Act<Result> {
  const by = { instituteId, actor: 'command line' as const }
  return { instituteId, audit: (tx, result) => recordAudit(tx, ctx, by, noteOf(result)) }
}

/** Lines FIELD=VALUE, or ACCOUNT_FIELD of the environment. */
async function readSettings(provider: string, isEnv: true | undefined): Promise<EnteredValue[]> {
  const entry = PROVIDERS[provider]
  if (entry === undefined)
    throw new InputError(`"${provider}" is not a provider: there are ${Object.keys(PROVIDERS).join(', ')}.`)
  if (isEnv === true)
    return entry.settings.flatMap(({ field }) => {
      const value = process.env[`ACCOUNT_${field.toUpperCase()}`]
      return value === undefined ? [] : [{ field, value }]
    })
  if (process.stdin.isTTY)
    throw new InputError(
      `Give the credentials on standard input, one FIELD=VALUE a line: ${entry.settings.map(({ field }) => field).join(', ')}.`,
    )
  const lines = (await text(process.stdin)).split(/\r?\n/).filter(line => line.trim() !== '')
  return lines.map((line, index) => {
    const equals = line.indexOf('=')
    if (equals < 1) throw new InputError(`Line ${index + 1} of standard input is not FIELD=VALUE.`)
    return { field: line.slice(0, equals).trim(), value: line.slice(equals + 1) }
  })
}

function listOf<Value extends string>(values: readonly Value[]): (written: string) => Value[] {
  return written => {
    if (written === 'none') return []
    return written.split(',').map(one => {
      const value = values.find(known => known === one.trim())
      if (value === undefined) throw new InputError(`"${one}" is not one of ${values.join(', ')}, none.`)
      return value
    })
  }
}
