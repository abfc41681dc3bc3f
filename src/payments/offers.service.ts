import { totalOf, type Order } from '../orders/orders.rules.ts'
import { offeredMethods } from '../providers/accounts/accounts.rules.ts'
import type { Account, Target } from '../providers/accounts/registry.service.ts'
import type { PaymentMode } from '../providers/port.ts'
import type { PaymentContext } from './context.ts'

/** The ways to pay an order that its branch's account offers; none when nothing is set up for it. */
export async function methodsFor(
  { accounts }: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  order: Order,
): Promise<PaymentMode[]> {
  const account = await accounts.accountFor({ instituteId, collectorCode: order.collectorCode }, 'payments')
  return account === null ? [] : offeredMethods(account, totalOf(order))
}

/** That account, if it offers this way. */
export async function accountToPay(
  { accounts }: Pick<PaymentContext, 'accounts'>,
  instituteId: number,
  order: Order,
  mode: PaymentMode,
): Promise<Account | null> {
  const account = await accounts.accountFor({ instituteId, collectorCode: order.collectorCode }, 'payments')
  return account !== null && offeredMethods(account, totalOf(order)).includes(mode) ? account : null
}

/** Whether new payments of a branch can be taken at all. */
export async function takesPayments(
  { accounts }: Pick<PaymentContext, 'accounts'>,
  branch: Target,
): Promise<boolean> {
  return (await accounts.accountFor(branch, 'payments')) !== null
}
