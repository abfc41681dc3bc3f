import { ADVANCE } from '../../fees/fees.rules.ts'
import { openOrders } from '../../orders/order-payments.service.ts'
import { orderFor, type Order } from '../../orders/orders.rules.ts'
import type { PaymentContext, ReportOutcome } from '../../payments/context.ts'
import {
  captureCredit,
  claimCredit,
  hasSentBefore,
  holdCredit,
  OF_UNKNOWN_REMITTER,
} from '../../payments/credits/credits.service.ts'
import { listOnTheWay } from '../../payments/student-payments.service.ts'
import { assert } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { newId } from '../../platform/ids.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import type { CreditReport } from '../../providers/port.ts'
import { holdStudent } from '../../students/profile/lock-student.service.ts'
import type { StudentKey } from '../../students/students.rules.ts'
import { LATE_FEE, withoutTaken, type TransferRule } from '../dues.rules.ts'
import { readDuesOn } from '../dues.service.ts'
import { insertDuesOrders, readRules, type PaymentRules } from '../dues.store.ts'
import { spreadCredit } from './spread.rules.ts'
import * as store from './virtual-accounts.store.ts'

/**
 * Books a transfer that came to a student's account number, in one transaction: the order of what it pays, its payment, and all that
 * follows from every payment of dues. Told again, it changes nothing. What came to an account that is closed waits for a person.
 */
export async function takeCredit(
  ctx: PaymentContext,
  credit: CreditReport,
  accountId: string,
): Promise<ReportOutcome> {
  const { instituteId, accountRef } = credit
  return ctx.db.transaction(async tx => {
    // One that is still being opened has no such name yet, and nobody has seen its number.
    const named = await store.findAtProvider(tx, instituteId, accountRef)
    if (named === null) return 'unknown'
    if (named.accountId !== accountId) return 'foreign'
    const key = { instituteId, studentId: named.studentId }
    await holdStudent(tx, key)
    // Its student may have left a moment ago.
    const account = (await store.findAtProvider(tx, instituteId, accountRef)) ?? named
    const claim = { account, credit, paymentId: newId('pay') }
    if (!(await claimCredit(ctx, tx, claim))) return 'applied'
    const { amountPaise, creditedAt: at, remitterName, remitterAccount } = credit
    const notes = [...noteOf('remitter_name', remitterName), ...noteOf('remitter_account', remitterAccount)]
    const { transfers: rule, holdsUnknown } = await readRulesOf(tx, instituteId)
    const isUnknown = holdsUnknown && !(await hasSentBefore(tx, key, credit))
    const order = await openCreditOrder(tx, key, { amountPaise, at, notes, rule })
    if (account.state === 'closed') await holdCredit(ctx, tx, { ...claim, order })
    else if (isUnknown) await holdCredit(ctx, tx, { ...claim, order }, OF_UNKNOWN_REMITTER)
    else await captureCredit(ctx, tx, { ...claim, order })
    return 'applied'
  })
}

/**
 * The order that such money pays as it is made; the caller holds the student. What is on the way is not paid a second time: that part
 * is an advance, which the office or the family uses when what was on the way has come or failed. `rule`: what it pays where the family
 * was not asked for a sum.
 */
export async function openCreditOrder(
  tx: Transaction,
  key: StudentKey,
  {
    amountPaise,
    at,
    notes,
    rule = 'oldest_due',
  }: Pick<Order, 'notes'> & { amountPaise: Paise; at: Date; rule?: TransferRule },
): Promise<Order> {
  const dues = (await readDuesOn(tx, [key], dayOf(at))).get(key.studentId)
  assert(dues !== undefined, 'a student that is held has dues')
  const onTheWay = await listOnTheWay(tx, key.instituteId, [key.studentId])
  const left = withoutTaken(dues, onTheWay)
  const { lines, lateFees, advancePaise } = spreadCredit(amountPaise, left, { rule, today: dues.today })
  const late = sumPaise(lateFees.map(fee => fee.amountPaise))
  const paid = [...lines, ...lineOf(LATE_FEE, late), ...lineOf(ADVANCE, advancePaise)]
  const made = orderFor(dues.context.student, { kind: 'student', lines: paid, at })
  const order = { ...made, notes }
  await openOrders(tx, [{ instituteId: key.instituteId, order }])
  await insertDuesOrders(tx, [{ ...key, orderId: order.id, lateFees, payer: null, groupId: null }])
  return order
}

async function readRulesOf(tx: Transaction, instituteId: number): Promise<PaymentRules> {
  const rules = (await readRules(tx, [instituteId])).get(instituteId)
  assert(rules !== undefined, 'an institute without rules has the standard ones')
  return rules
}

function noteOf(key: string, value: string | null): Order['notes'][number][] {
  return value === null ? [] : [{ key, value }]
}

function lineOf(componentType: string, amountPaise: Paise): { componentType: string; amountPaise: Paise }[] {
  return amountPaise > 0 ? [{ componentType, amountPaise }] : []
}
