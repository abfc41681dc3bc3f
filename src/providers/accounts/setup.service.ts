import type { Institute } from '../../institutes/institutes.rules.ts'
import { PROVIDERS } from '../catalogue.ts'
import type { ProviderSetting } from '../port.ts'
import type { Purpose } from './accounts.rules.ts'
import { listAccounts, type AccountsContext } from './accounts.service.ts'

/** What a person needs to know before setting an account up, and what follows from those that are there. */
export type AccountSetup = {
  providers: { name: string; title: string; settings: Required<ProviderSetting>[] }[]
  branches: { collectorCode: string; name: string; payments: string; mandates: string }[]
  callbackBase: string
}

export async function describeAccountSetup(
  ctx: AccountsContext,
  institute: Institute,
): Promise<AccountSetup> {
  const titles = new Map((await listAccounts(ctx, institute)).map(({ id, title }) => [id, title]))
  const destination = async (collectorCode: string, purpose: Purpose): Promise<string> => {
    const account = await ctx.accounts.accountFor({ instituteId: institute.id, collectorCode }, purpose)
    if (account === null) return 'Nowhere: nothing is set up, or it is paused'
    const title = titles.get(account.id)
    if (title !== undefined) return title
    return account.id === 'sandbox'
      ? 'The sandbox bank'
      : `The account of this installation at ${account.provider}`
  }
  return {
    providers: Object.entries(PROVIDERS).map(([name, { title, settings }]) => ({
      name,
      title,
      settings: settings.map(setting => ({ isSecret: false, isOptional: false, ...setting })),
    })),
    branches: await Promise.all(
      institute.branches.map(async ({ collectorCode, name }) => ({
        collectorCode,
        name,
        payments: await destination(collectorCode, 'payments'),
        mandates: await destination(collectorCode, 'mandates'),
      })),
    ),
    callbackBase: `${ctx.publicUrl}/callbacks`,
  }
}
