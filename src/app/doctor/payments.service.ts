import { listInstitutes } from '../../institutes/institutes.service.ts'
import { countUnmatchedReports } from '../../payments/settlements/unmatched.service.ts'
import { BANK_TRANSFER } from '../../loans/loans.rules.ts'
import type { Context } from '../../platform/context.ts'
import { keyKindOf, type ProviderAccount } from '../../providers/accounts/accounts.rules.ts'
import { listAllAccounts, listWithKeyOf } from '../../providers/accounts/accounts.service.ts'
import { findConnectionProblem } from '../../providers/accounts/credentials.service.ts'
import { AccountRegistry } from '../../providers/accounts/registry.service.ts'
import { PROVIDERS } from '../../providers/catalogue.ts'
import type { Config } from '../config.ts'
import type { Finding } from './doctor.rules.ts'
import { listStranded, type Unfinished } from './payments.store.ts'
import { judgeAccounts, type ExaminedAccount } from './payments.rules.ts'
import { DAY_MS } from '../../platform/calendar.ts'

const SHARED =
  'has the key of the installation too, and each reports the pay-outs of the other: take it out of the environment or replace it here.'
/** As many calls as one look may make. */
const MOST_CALLS = 50

/** What went through accounts of the installation whose keys were taken out of the environment before it was finished. */
export async function findStranded(
  { providers }: Pick<Config, 'providers'>,
  { db }: Pick<Context, 'db'>,
): Promise<Unfinished[]> {
  return listStranded(db, [...providers.keys(), 'sandbox', BANK_TRANSFER])
}

/** Whether every institute can be paid, and what is wrong with its accounts. */
export async function lookAtAccounts(config: Config, ctx: Context): Promise<Omit<Finding, 'subject'>> {
  const installation = new Map(
    [...config.providers].flatMap(([name, values]) => {
      const port = PROVIDERS[name]?.create(values, { apiUrl: config.providerUrls.get(name) })
      return port === undefined ? [] : [[name, port] as const]
    }),
  )
  const accounts = new AccountRegistry(ctx, installation, {
    apiUrls: config.providerUrls,
    values: config.providers,
    paused: config.pausedProviders,
  })
  const [institutes, all, shared] = await Promise.all([
    listInstitutes(ctx),
    listAllAccounts(ctx),
    listWithKeyOf(ctx, config.providers),
  ])
  const codes = new Map(institutes.map(({ id, code }) => [id, code]))
  const examine = async (account: ProviderAccount, position: number): Promise<ExaminedAccount> => {
    const { instituteId, id: accountId, pausedAt, keyKind, heardAt, createdAt } = account
    const isAsked = pausedAt === null && position < MOST_CALLS
    const port = isAsked ? (await accounts.accountOf({ instituteId, accountId })).port : {}
    return {
      institute: codes.get(instituteId) ?? '',
      title: account.title,
      isPaused: pausedAt !== null,
      isTestKey: keyKind === 'test',
      flaw: shared.some(({ id }) => id === accountId) ? SHARED : await findConnectionProblem(port),
      isSilent: heardAt === null && ctx.clock.now().getTime() - createdAt.getTime() > DAY_MS,
    }
  }
  const keyKind = keyKindOf(ctx.mode)
  const canPay = (id: number): boolean =>
    installation.size > 0 ||
    all.some(
      one =>
        one.instituteId === id && one.keyKind === keyKind && one.pausedAt === null && one.methods.length > 0,
    )
  return judgeAccounts({
    stranded: await findStranded(config, ctx),
    accounts: await Promise.all(all.map(examine)),
    unpayable: institutes.filter(({ id }) => !canPay(id)).map(({ code }) => code),
    unmatched: await countUnmatchedReports(ctx),
    hasInstallation: installation.size > 0,
    isLive: ctx.mode === 'live',
  })
}
