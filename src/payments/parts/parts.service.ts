import type { Transaction } from '../../platform/db/database.ts'
import { badFields } from '../../platform/errors.ts'
import type { Account, BranchKey } from '../../providers/accounts/registry.service.ts'
import { destinationOf } from '../../providers/settlement-accounts/destinations.rules.ts'
import type { PaymentContext } from '../context.ts'
import type { Payment } from '../payments.rules.ts'
import type { Refund } from '../refunds/refunds.rules.ts'
import { insertRefund } from '../refunds/refunds.store.ts'
import { divideLines, divideRefund, type Part } from './parts.rules.ts'
import * as store from './parts.store.ts'

type Line = { componentType: string; amountPaise: Part['amountPaise'] }
type WithAccounts = Pick<PaymentContext, 'accounts'>

/** A line that cannot be paid online, with the reason. */
export type ClosedLine = { index: number; componentType: string; why: string }

async function destinationsFor({ accounts }: WithAccounts, instituteId: number, { id, port }: Account) {
  const destinations = await accounts.destinations.of(instituteId)
  const through = { id, canSplit: port.splits !== undefined }
  return (componentType: string) => destinationOf(destinations, through, componentType)
}

/** What of these lines the account cannot settle where it belongs. */
export async function findClosed(
  ctx: WithAccounts,
  instituteId: number,
  account: Account,
  lines: readonly Pick<Line, 'componentType'>[],
): Promise<ClosedLine[]> {
  const find = await destinationsFor(ctx, instituteId, account)
  return lines.flatMap(({ componentType }, index) => {
    const destination = find(componentType)
    return destination.kind === 'closed' ? [{ index, componentType, why: destination.why }] : []
  })
}

/** The same of lines that are to be paid online in a branch; none while nothing can be paid online there. */
export async function findUnchargeable(
  ctx: WithAccounts,
  branch: BranchKey,
  lines: readonly Pick<Line, 'componentType'>[],
): Promise<ClosedLine[]> {
  const account = await ctx.accounts.accountFor(branch, 'payments')
  return account === null ? [] : findClosed(ctx, branch.instituteId, account, lines)
}

/** Whether what is paid for a component cannot be taken online in a branch. */
export type IsClosed = (collectorCode: string, componentType: string) => boolean

export async function readClosed(
  ctx: WithAccounts,
  instituteId: number,
  collectorCodes: Iterable<string>,
): Promise<IsClosed> {
  const finders = new Map<string, Awaited<ReturnType<typeof destinationsFor>>>()
  for (const collectorCode of new Set(collectorCodes)) {
    const account = await ctx.accounts.accountFor({ instituteId, collectorCode }, 'payments')
    if (account !== null) finders.set(collectorCode, await destinationsFor(ctx, instituteId, account))
  }
  return (collectorCode, componentType) => finders.get(collectorCode)?.(componentType).kind === 'closed'
}

/** Refuses what a family would be asked for online and could not pay. */
export async function refuseUnchargeable(
  ctx: WithAccounts,
  { lines, ...branch }: BranchKey & { lines: readonly Pick<Line, 'componentType'>[] },
): Promise<void> {
  const closed = await findUnchargeable(ctx, branch, lines)
  if (closed.length > 0)
    throw badFields(
      closed.map(({ index, why }) => ({ key: `details.${index}.component_type`, message: why })),
    )
}

/** The parts with which a payment of these lines is started; the caller has seen that none is closed. */
export async function planParts(
  ctx: WithAccounts,
  instituteId: number,
  account: Account,
  lines: readonly Line[],
): Promise<Part[]> {
  return divideLines(lines, await destinationsFor(ctx, instituteId, account))
}

/** Writes a refund down for which the provider is asked, with what comes from each part of its payment. */
export async function insertAskedRefund(
  tx: Transaction,
  refund: Refund,
  { instituteId, id, isSplit }: Payment,
): Promise<void> {
  const given = isSplit ? await store.sumGiven(tx, instituteId, id) : new Map()
  await insertRefund(tx, refund)
  if (!isSplit) return
  const parts = divideRefund(await store.listParts(tx, instituteId, [id]), refund, given)
  if (parts.length > 0) await store.insertRefundParts(tx, refund, parts)
}
