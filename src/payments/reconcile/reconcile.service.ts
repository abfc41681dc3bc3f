import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Queryable } from '../../platform/db/database.ts'
import {
  CHECK_NAMES,
  findDifferences,
  listOverdue,
  listToCompare,
  type ComparedPayment,
  type Difference,
} from './reconcile.store.ts'
import { providerOf, type PaymentContext } from '../context.ts'
import { atProvider } from '../payments.rules.ts'
import { addAll } from '../../platform/lists.ts'

export type Reconciliation = {
  institute: string
  checks: readonly string[]
  /** What does not agree. */
  differences: Difference[]
  /** Paid, due at the bank and not reported yet. */
  expected: { id: string; dueOn: string; amountPaise: number }[]
}

const PAGE = 200

/** Holds ledger, orders and provider against each other and says what differs; changes nothing. */
export async function reconcile(
  ctx: PaymentContext,
  institute: Institute,
  onProgress?: (compared: number) => void,
): Promise<Reconciliation> {
  const differences = await findDifferences(ctx.db, institute.id)
  addAll(differences, await compareWithProvider(ctx, institute, onProgress))
  return {
    institute: institute.code,
    checks: [...CHECK_NAMES, PROVIDER_CHECK],
    differences,
    expected: await listOverdue(ctx.db, institute.id, dayOf(ctx.clock.now())),
  }
}

export type BooksCheck = { check: string; differences: { subject: string; detail: string }[] }

/** The same without asking the provider about every payment: what our own books say of each other. */
export async function checkBooks(
  { db }: { readonly db: Queryable },
  institute: Pick<Institute, 'id'>,
): Promise<BooksCheck[]> {
  const found = await findDifferences(db, institute.id)
  return CHECK_NAMES.map(check => ({ check, differences: found.filter(one => one.check === check) }))
}

const PROVIDER_CHECK = 'the provider says of every payment what we say'

async function compareWithProvider(
  ctx: PaymentContext,
  institute: Institute,
  onProgress: ((compared: number) => void) | undefined,
): Promise<Difference[]> {
  const differences: Difference[] = []
  // A provider that does not answer is asked once; what it would have said is not known, and the rest is.
  const unreachable = new Set<string>()
  let compared = 0
  for (let after = ''; ;) {
    const payments = await listToCompare(ctx.db, institute.id, { after, limit: PAGE })
    if (payments.length === 0) return differences
    for (const payment of payments) {
      if (unreachable.has(payment.accountId)) continue
      try {
        addAll(differences, await compareOne(ctx, institute.id, payment))
      } catch (error) {
        if (!(error instanceof Error)) throw error
        unreachable.add(payment.accountId)
        const detail = `could not be asked: ${reasonOf(error)}`
        differences.push({ check: PROVIDER_CHECK, subject: `account ${payment.accountId}`, detail })
      }
    }
    after = payments.at(-1)?.id ?? ''
    compared += payments.length
    onProgress?.(compared)
  }
}

async function compareOne(
  ctx: PaymentContext,
  instituteId: number,
  payment: ComparedPayment,
): Promise<Difference[]> {
  const { id, accountId, state } = payment
  const provider = await providerOf(ctx, { instituteId, accountId })
  const { outcome } = await provider.status(atProvider({ ...payment, instituteId }))
  // A payment under way here may have ended there already: the reconciler learns of that, and it is no difference.
  const isSettledHere = state === 'captured' || state === 'failed'
  if (!isSettledHere || (outcome.kind === 'captured') === (state === 'captured')) return []
  const detail = `${state} here, ${outcome.kind} at the provider`
  return [{ check: PROVIDER_CHECK, subject: id, detail }]
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message
}
