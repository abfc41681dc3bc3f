import { Argument, InvalidArgumentError, type Command } from 'commander'
import { ROLES, type Role } from '../../console/console.rules.ts'
import {
  createUser,
  listUsers,
  resetPassword,
  setUserDisabled,
  type ListedUser,
} from '../../console/auth/users.service.ts'
import { requireByCommand } from '../../console/auth/second-factor/second-factor.service.ts'
import { getInstitute } from '../../institutes/institutes.service.ts'
import { isMailAddress } from '../../messages/senders.ts'
import { addExamples, InputError, formatTable, formatTime, show } from '../terminal.ts'
import { readInstituteCode, readName } from '../operator-input.ts'
import { withContext } from '../with-database.ts'

type CreateOptions = { name: string; operator?: true; institute?: string; role?: Role; lender?: string }

export function addUserCommands(program: Command): void {
  const users = program.command('users').description('people who sign in to the console')
  addExamples(users, [
    'bursar users create asha@example.in --name "Asha Rao" --operator',
    'bursar users list',
  ])

  const list = users.command('list').description('show everybody').action(runList)
  addExamples(list, ['bursar users list', 'bursar users list --json'])

  const create = users
    .command('create')
    .description('add a person, or give one more to do; shows a link by which they choose a password')
    .argument('<email>', 'with what they sign in', readEmail)
    .requiredOption('--name <name>', 'as colleagues know them', readName)
    .option('--operator', 'looks after the installation and sees every institute')
    .option('--institute <code>', 'works for this institute', readInstituteCode)
    .option('--role <role>', `what they may do there: ${ROLES.join(', ')} (default: owner)`, readRole)
    .option('--lender <code>', 'works at the desk of this lender, which has no API')
    .action(runCreate)
  addExamples(create, [
    'bursar users create asha@example.in --name "Asha Rao" --operator',
    'bursar users create meera@example.in --name "Meera Iyer" --institute green-park --role finance',
    'bursar users create loans@sahakari.example.in --name "Ravi Shah" --lender sahakari',
  ])

  const disable = users
    .command('disable')
    .description('shut somebody out at once; --undo lets them in again')
    .argument('<email>', 'who', readEmail)
    .option('--undo', 'let them in again')
    .action(runDisable)
  addExamples(disable, [
    'bursar users disable meera@example.in',
    'bursar users disable meera@example.in --undo',
  ])

  const reset = users
    .command('reset-password')
    .description('end the password and all sessions; shows a link by which they choose a new one')
    .argument('<email>', 'who', readEmail)
    .option('--drop-second-factor', 'also forget their app and passkeys, for somebody who lost them')
    .action(runReset)
  addExamples(reset, [
    'bursar users reset-password asha@example.in',
    'bursar users reset-password asha@example.in --drop-second-factor',
  ])

  const factor = users
    .command('second-factor')
    .description('require a passkey or an app of everybody who signs in, or of one institute')
    .addArgument(new Argument('<rule>', 'what is asked for').choices(['required', 'optional']))
    .option('--institute <code>', 'of this institute alone', readInstituteCode)
    .action(runSecondFactor)
  addExamples(factor, [
    'bursar users second-factor required',
    'bursar users second-factor required --institute green-park',
  ])
}

async function runCreate(email: string, options: CreateOptions): Promise<void> {
  const isFor = options.operator === true || options.institute !== undefined || options.lender !== undefined
  if (!isFor)
    throw new InputError('Say what the person is for: --operator, --institute CODE or --lender CODE.')
  if (options.role !== undefined && options.institute === undefined)
    throw new InputError('--role says what somebody may do in an institute: add --institute CODE.')
  await withContext(async ctx => {
    const institute = options.institute === undefined ? null : await getInstitute(ctx, options.institute)
    const member = institute === null ? null : { institute, role: options.role ?? 'owner' }
    const isOperator = options.operator === true
    const { link } = await createUser(ctx, {
      email,
      name: options.name,
      isOperator,
      member,
      lender: options.lender ?? null,
    })
    const what = [
      ...(isOperator ? ['operator'] : []),
      ...(member === null ? [] : [`${member.role} of ${member.institute.name}`]),
      ...(options.lender === undefined ? [] : [`at the desk of ${options.lender}`]),
    ].join(' and ')
    const next =
      link === null
        ? 'They sign in with the password they have.'
        : `They choose a password here, within a day:\n  ${link}`
    show({ email, link }, `${email} is ${what} now.\n${next}`)
  })
}

async function runSecondFactor(rule: string, options: { institute?: string }): Promise<void> {
  await withContext(async ctx => {
    const institute = options.institute === undefined ? null : await getInstitute(ctx, options.institute)
    await requireByCommand(ctx, institute, rule === 'required')
    const whom = institute === null ? 'everybody' : `everybody who works for ${institute.name}`
    const text =
      rule === 'required'
        ? `A second factor is required of ${whom} now. Who has none sets one up before anything else.`
        : `A second factor is not required of ${whom} any more, unless another rule asks for it.`
    show({ institute: institute?.code ?? null, second_factor: rule }, text)
  })
}

async function runReset(email: string, options: { dropSecondFactor?: true }): Promise<void> {
  await withContext(async ctx => {
    const { link } = await resetPassword(ctx, email, {
      dropsFactor: options.dropSecondFactor === true,
    })
    show(
      { email, link },
      `Nobody gets in as ${email} before a new password is chosen here, within a day:\n  ${link}`,
    )
  })
}

async function runDisable(email: string, options: { undo?: true }): Promise<void> {
  await withContext(async ctx => {
    const isDisabled = options.undo !== true
    await setUserDisabled(ctx, email, isDisabled)
    const text = isDisabled ? `${email} is shut out, at once.` : `${email} may sign in again.`
    show({ email, disabled: isDisabled }, text)
  })
}

async function runList(): Promise<void> {
  await withContext(async ctx => {
    const users = await listUsers(ctx)
    const hint = 'Nobody yet. Add somebody: bursar users create EMAIL --name NAME --operator'
    const headings = ['EMAIL', 'NAME', 'MAY', '2ND FACTOR', 'LAST SEEN', 'STATE']
    const rows = users.map(user => [
      user.email,
      user.name,
      mayOf(user),
      user.hasFactor ? 'yes' : 'no',
      user.lastSeenAt === null ? 'never' : formatTime(user.lastSeenAt),
      stateOf(user),
    ])
    show(users.map(toJson), rows.length === 0 ? hint : formatTable(headings, rows))
  })
}

function mayOf({ isOperator, memberships }: ListedUser): string {
  const parts = memberships.map(({ institute, role }) => `${role} of ${institute}`)
  return (isOperator ? ['operator', ...parts] : parts).join(', ') || 'nothing'
}

function stateOf({ disabledAt, hasPassword }: ListedUser): string {
  if (disabledAt !== null) return 'disabled'
  return hasPassword ? 'active' : 'no password'
}

function toJson(user: ListedUser): object {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    operator: user.isOperator,
    memberships: user.memberships,
    second_factor: user.hasFactor,
    state: stateOf(user),
    created_at: user.createdAt,
    ...(user.lastSeenAt === null ? {} : { last_seen_at: user.lastSeenAt }),
  }
}

function readEmail(text: string): string {
  if (isMailAddress(text)) return text
  throw new InputError(`"${text}" is not an e-mail address.`)
}

function readRole(text: string): Role {
  const role = ROLES.find(one => one === text)
  if (role === undefined) throw new InvalidArgumentError(`Allowed are ${ROLES.join(', ')}.`)
  return role
}
