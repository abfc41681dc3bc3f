import type { FastifyInstance } from 'fastify'
import { all, created, one, type Reply } from '../../http/reply.ts'
import {
  accountChangeInput,
  accountParams,
  accountReasonInput,
  newAccountInput,
  rotationInput,
  accountOutput,
  accountSetupOutput,
  checkedAccountOutput,
} from '../../providers/accounts/account.schemas.ts'
import {
  addAccount,
  changeAccount,
  checkAccount,
  listAccounts,
  pauseAccount,
  resumeAccount,
  rotateAccount,
  describeAccountSetup,
  type AccountChange,
  type AccountsContext,
  type CheckedAccount,
} from '../../providers/accounts/accounts.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { KEEPERS, type ConsoleRole } from '../console.rules.ts'
import type { ProviderAccount } from '../../providers/accounts/accounts.rules.ts'
import type { AuditNote } from '../audit/audit.service.ts'

const READERS: readonly ConsoleRole[] = ['owner', 'finance', 'operator']
const ACCOUNTS = '/provider-accounts'
const ACCOUNT = `${ACCOUNTS}/:account_id`

/** Where the institute's money goes: its own accounts at payment providers. */
export function providerAccountRoutes(app: FastifyInstance, ctx: AccountsContext): void {
  addConsoleRead(app, ctx, {
    url: ACCOUNTS,
    roles: READERS,
    output: all(accountOutput),
    answer: ({ institute }) => listAccounts(ctx, institute),
  })
  addConsoleRead(app, ctx, {
    url: `${ACCOUNTS}/setup`,
    roles: READERS,
    output: one(accountSetupOutput),
    answer: ({ institute }) => describeAccountSetup(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: ACCOUNTS,
    roles: KEEPERS,
    hasSecret: true,
    body: newAccountInput,
    output: created(accountOutput),
    perform: (command, { institute, who, body }) =>
      addAccount(ctx, command, { institute, by: who.email }, body),
    audit: (_call, account) => noteOfAdded(account),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${ACCOUNT}/check`,
    roles: KEEPERS,
    params: accountParams,
    output: one(checkedAccountOutput),
    perform: (command, { institute, params }) => checkAccount(ctx, command, { institute, ...params }),
    audit: (_call, checked) => noteOfCheck(checked),
  })
  addChanges(app, ctx)
}

const account = one(accountOutput)
const accountAfter: Reply<AccountChange> = {
  ...account,
  toSuccess: ({ after }, asker) => account.toSuccess(after, asker),
}

function addChanges(app: FastifyInstance, ctx: AccountsContext): void {
  addConsoleWrite(app, ctx, {
    method: 'PATCH',
    url: ACCOUNT,
    roles: KEEPERS,
    params: accountParams,
    body: accountChangeInput,
    output: accountAfter,
    perform: (command, { institute, who, params, body: { reason: _reason, ...wanted } }) =>
      changeAccount(ctx, command, { institute, ...params, by: who.email }, wanted),
    audit: ({ body }, change) => noteOfChange('changed', change, body.reason),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${ACCOUNT}/rotate`,
    roles: KEEPERS,
    hasSecret: true,
    params: accountParams,
    body: rotationInput,
    output: accountAfter,
    perform: (command, { institute, who, params, body }) =>
      rotateAccount(ctx, command, { institute, ...params, by: who.email }, body.settings),
    audit: ({ body }, change) => noteOfChange('rotated', change, body.reason),
  })
  for (const [verb, what, act] of [
    ['pause', 'paused', pauseAccount],
    ['resume', 'resumed', resumeAccount],
  ] as const)
    addConsoleWrite(app, ctx, {
      method: 'POST',
      url: `${ACCOUNT}/${verb}`,
      roles: KEEPERS,
      params: accountParams,
      body: accountReasonInput,
      output: accountAfter,
      perform: (command, { institute, who, params }) =>
        act(ctx, command, { institute, ...params, by: who.email }),
      audit: ({ body }, change) => noteOfChange(what, change, body.reason),
    })
}

/** What acts on provider accounts leave in the audit log, from the console and the command line. */
export function noteOfAdded(account: ProviderAccount): AuditNote {
  return { what: 'provider_account.added', about: account.id, after: accountOutput.toJson(account) }
}

export function noteOfChange(
  what: 'changed' | 'rotated' | 'paused' | 'resumed',
  { before, after }: AccountChange,
  why: string | undefined,
): AuditNote {
  return {
    what: `provider_account.${what}`,
    about: after.id,
    why,
    before: accountOutput.toJson(before),
    after: accountOutput.toJson(after),
  }
}

export function noteOfCheck({ account, problem }: CheckedAccount): AuditNote {
  return { what: 'provider_account.checked', about: account.id, after: { problem } }
}
