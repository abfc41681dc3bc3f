import { totalOf, type OrderToPay } from '../orders/orders.rules.ts'
import { sumPaise, type Paise } from '../platform/money.ts'
import { offeredMethods } from '../providers/accounts/accounts.rules.ts'
import type { Account, BranchKey } from '../providers/accounts/registry.service.ts'
import type { PaymentMode } from '../providers/port.ts'
import type { PaymentContext } from './context.ts'

/** The ways to pay orders at once that their branches' account offers; none when nothing is set up for it. */
export async function methodsFor(
  { accounts }: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  orders: readonly OrderToPay[],
): Promise<PaymentMode[]> {
  const account = await commonAccount(accounts, instituteId, orders)
  return account === null ? [] : offeredMethods(account, totalOfAll(orders))
}

/** The account that money goes through, if it offers this way. */
export async function accountToPay(
  { accounts }: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  orders: readonly OrderToPay[],
  mode: PaymentMode,
): Promise<Account | null> {
  const account = await commonAccount(accounts, instituteId, orders)
  return account !== null && offeredMethods(account, totalOfAll(orders)).includes(mode) ? account : null
}

function totalOfAll(orders: readonly OrderToPay[]): Paise {
  return sumPaise(orders.map(totalOf))
}

/** Where what these branches are paid goes; null when nothing is set up, or their money goes to different accounts. */
export async function commonAccount(
  accounts: PaymentContext['accounts'],
  instituteId: number,
  branches: readonly Pick<OrderToPay, 'collectorCode'>[],
): Promise<Account | null> {
  const codes = [...new Set(branches.map(({ collectorCode }) => collectorCode))]
  const found: (Account | null)[] = []
  for (const collectorCode of codes)
    found.push(await accounts.accountFor({ instituteId, collectorCode }, 'payments'))
  const [first = null] = found
  return found.every(account => account?.id === first?.id) ? first : null
}

/** Whether new payments of a branch can be taken at all. */
export async function takesPayments(
  { accounts }: Pick<PaymentContext, 'accounts'>,
  branch: BranchKey,
): Promise<boolean> {
  return (await accounts.accountFor(branch, 'payments')) !== null
}
