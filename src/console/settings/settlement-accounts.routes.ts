import type { FastifyInstance } from 'fastify'
import { all, from, one } from '../../http/reply.ts'
import type { AccountsContext } from '../../providers/accounts/accounts.service.ts'
import {
  componentAccountOutput,
  componentAccountsInput,
  linkInput,
  settlementAccountOutput,
  settlementSetupOutput,
} from '../../providers/settlement-accounts/settlement-account.schemas.ts'
import {
  describeSettlementSetup,
  linkBankAccount,
  settleComponents,
  type ComponentChange,
  type LinkChange,
} from '../../providers/settlement-accounts/settlement-accounts.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import type { ConsoleRole } from '../console.rules.ts'

const READERS: readonly ConsoleRole[] = ['owner', 'finance', 'operator']
const SETTLEMENT_ACCOUNTS = '/settlement-accounts'

/** Bank accounts of the school in which parts of a payment are settled. */
export function settlementAccountRoutes(app: FastifyInstance, ctx: AccountsContext): void {
  addConsoleRead(app, ctx, {
    url: SETTLEMENT_ACCOUNTS,
    roles: READERS,
    output: one(settlementSetupOutput),
    answer: ({ institute }) => describeSettlementSetup(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: SETTLEMENT_ACCOUNTS,
    roles: MONEY_HANDLERS,
    body: linkInput,
    output: from(one(settlementAccountOutput), ({ after }: LinkChange) => after),
    perform: (command, { institute, who, body }) =>
      linkBankAccount(ctx, command, { institute, by: who.email }, body),
    audit: (_call, { before, after }: LinkChange) => ({
      what: before === null ? 'settlement_account.added' : 'settlement_account.changed',
      about: after.bankAccountId,
      ...(before === null ? {} : { before: settlementAccountOutput.toJson({ ...before, name: after.name }) }),
      after: settlementAccountOutput.toJson(after),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: `${SETTLEMENT_ACCOUNTS}/components`,
    roles: MONEY_HANDLERS,
    body: componentAccountsInput,
    output: from(all(componentAccountOutput), ({ after }: ComponentChange) => after),
    perform: (command, { institute, body }) => settleComponents(ctx, command, institute, body.components),
    audit: ({ institute, body }, { before, after }: ComponentChange) => ({
      what: 'component_accounts.changed',
      about: institute.code,
      why: body.reason,
      before: namesOf(before),
      after: namesOf(after),
    }),
  })
}

function namesOf(components: ComponentChange['after']): Record<string, string> {
  return Object.fromEntries(components.map(({ componentType, name }) => [componentType, name]))
}
