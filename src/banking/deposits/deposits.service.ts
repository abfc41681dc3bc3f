import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { formatRupees, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { requireBankAccount } from '../accounts/accounts.service.ts'
import type { Cheque } from '../cheques/cheque.list.ts'
import { changeCheques, holdCheques, holdWholeCheques, requirePast } from '../cheques/cheques.service.ts'
import { deleteCheques, readChequesOf, writeCheques } from '../cheques/cheques.store.ts'
import type { ListedDeposit } from './deposit.list.ts'
import { countCash, type DenominationCount } from './denominations.rules.ts'
import * as store from './deposits.store.ts'

export type NewDeposit = {
  accountId: string
  day: string | null
  /** Empty for a slip of cheques: banks take cash and cheques on separate slips. */
  denominations: readonly DenominationCount[]
  cheques: readonly string[]
  by: string
}

/** A slip for what is taken to the bank: the cheques on it are out of the office from then on. */
export async function makeDeposit(
  { db, clock }: Context,
  command: Command<ListedDeposit>,
  wanted: NewDeposit,
): Promise<ListedDeposit> {
  const { instituteId } = command
  const at = clock.now()
  const day = requirePast(wanted.day, at)
  const cash = countCash(wanted.denominations)
  if (cash > 0 === wanted.cheques.length > 0)
    throw badField('cheques', 'or denominations are needed, and not both: a slip is of cash or of cheques')
  return transact(db, command, async tx => {
    await requireBankAccount(tx, instituteId, wanted.accountId)
    const held = wanted.cheques.length === 0 ? [] : await holdWholeCheques(tx, instituteId, wanted.cheques)
    // Held from here to the commit: no other slip takes the same cash.
    const slipNumber = await store.nextSlipNumber(tx, instituteId)
    if (held.length === 0) await requireCash(tx, instituteId, cash)
    const deposit: store.Deposit = {
      id: newId('dep'),
      slipNumber,
      kind: held.length > 0 ? 'cheque' : 'cash',
      accountId: wanted.accountId,
      day,
      amountPaise: held.length > 0 ? sumPaise(held.map(cheque => cheque.amountPaise)) : cash,
      denominations: held.length > 0 ? null : [...wanted.denominations],
      madeBy: wanted.by,
      madeAt: at,
      receivedOn: null,
      cancelledAt: null,
      cancelReason: null,
    }
    await store.insertDeposit(tx, instituteId, deposit)
    const change = { instituteId, act: 'deposit' as const, by: wanted.by, at }
    await changeCheques(tx, held, change, { depositId: deposit.id })
    return requireDeposit(tx, instituteId, deposit.id)
  })
}

async function requireCash(tx: Transaction, instituteId: number, wanted: Paise): Promise<void> {
  const inHand = await store.sumCashInHand(tx, instituteId)
  if (wanted <= inHand) return
  const there = formatRupees(inHand < 0 ? ZERO : inHand)
  throw conflict(
    `${there} of cash taken at the counter is not deposited yet, and this slip comes to ${formatRupees(wanted)}.`,
  )
}

/** It was not taken to the bank after all. */
export async function cancelDeposit(
  { db, clock }: Context,
  command: Command<ListedDeposit>,
  { id, reason }: { id: string; reason: string },
): Promise<ListedDeposit> {
  const { instituteId } = command
  return transact(db, command, async tx => {
    const ids = (await readChequesOf(tx, instituteId, [id])).map(({ paymentId }) => paymentId)
    const held = ids.length === 0 ? [] : await holdCheques(tx, instituteId, ids)
    const deposit = await store.lockDeposit(tx, instituteId, id)
    if (deposit === null) throw notFound('This deposit')
    if (deposit.cancelledAt !== null) throw conflict('This deposit is cancelled already.')
    if (deposit.receivedOn !== null) throw conflict('The bank has this deposit: its statement says so.')
    if (held.some(({ state }) => state === 'cleared' || state === 'bounced'))
      throw conflict('The bank has decided about a cheque of this deposit.')
    await store.setCancelled(tx, instituteId, {
      ...deposit,
      cancelledAt: clock.now(),
      cancelReason: reason,
    })
    await deleteCheques(tx, instituteId, ids)
    return requireDeposit(tx, instituteId, id)
  })
}

/** A slip or a cheque that the bank's statement has on this day; without a day, has no more. */
export type BookedItem = { id: string; day: string | null }

/** What a statement says of slips and cheques: a cheque is cleared by it. What a person decided about others stays. */
export async function markBooked(
  tx: Transaction,
  instituteId: number,
  { deposits, cheques }: { deposits: readonly BookedItem[]; cheques: readonly BookedItem[] },
  { by, at }: { by: string; at: Date },
): Promise<void> {
  const ofSlips = await readChequesOf(tx, instituteId, idsOf(deposits))
  const days = new Map(cheques.map(({ id, day }) => [id, day]))
  for (const { paymentId, depositId } of ofSlips)
    days.set(paymentId, deposits.find(deposit => deposit.id === depositId)?.day ?? null)
  const held = days.size === 0 ? [] : await holdCheques(tx, instituteId, [...days.keys()])
  const rows = held.flatMap(({ paymentId, state, depositId }) => {
    const day = days.get(paymentId) ?? null
    const isChanged = day === null ? state === 'cleared' : state === 'in_hand' || state === 'deposited'
    const next = day === null ? 'deposited' : 'cleared'
    const row = {
      instituteId,
      paymentId,
      state: next,
      depositId,
      decidedOn: day,
      bounceReason: null,
      chargePaise: null,
    }
    return isChanged ? [{ ...row, changedBy: by, changedAt: at }] : []
  })
  const isLoose = ({ state, depositId }: (typeof rows)[number]): boolean =>
    state === 'deposited' && depositId === null
  const loose = rows.filter(isLoose).map(row => row.paymentId)
  await deleteCheques(tx, instituteId, loose)
  await writeCheques(
    tx,
    rows.filter(row => !isLoose(row)),
  )
  await store.setReceived(tx, instituteId, deposits)
}

function idsOf(some: readonly { id: string }[]): string[] {
  return some.map(({ id }) => id)
}

/** Cash that was taken at the counter and stands on no slip. */
export async function readCashInHand({ db }: Pick<Context, 'db'>, institute: Institute): Promise<Paise> {
  return store.sumCashInHand(db, institute.id)
}

export type DepositDetail = store.PrintedDeposit & { items: Cheque[] }

export async function getDeposit(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  id: string,
): Promise<DepositDetail> {
  const [deposit, items] = await Promise.all([
    requireDeposit(db, institute.id, id),
    readChequesOf(db, institute.id, [id]),
  ])
  return { ...deposit, items }
}

async function requireDeposit(
  db: Parameters<typeof store.findDeposit>[0],
  instituteId: number,
  id: string,
): Promise<store.PrintedDeposit> {
  const deposit = await store.findDeposit(db, instituteId, id)
  if (deposit === null) throw notFound('This deposit')
  return deposit
}
