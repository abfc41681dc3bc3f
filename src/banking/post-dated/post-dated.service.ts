import { settleLateFees, spreadForStudent } from '../../dues/counter.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { languagesOf, queueMessages } from '../../messages/messages.service.ts'
import { morningOf } from '../../messages/messages.rules.ts'
import { readOnTheWay } from '../../payments/student-payments.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { takeDue } from '../../platform/jobs/due-rows.ts'
import { issueDirectReceipt } from '../../receipts/receipts.service.ts'
import {
  holdPayingStudents,
  recordPaymentWithin,
} from '../../students/direct-payments/direct-payments.service.ts'
import { holdStudent } from '../../students/profile/lock-student.service.ts'
import type { PostDatedCheque } from './post-dated.list.ts'
import {
  depositDayOf,
  reminderDay,
  requireBankable,
  requireEndable,
  type HandedCheque,
} from './post-dated.rules.ts'
import * as store from './post-dated.store.ts'
import { chequeReminder } from './post-dated.texts.ts'

type Handed = { studentId: string; cheques: readonly HandedCheque[]; by: string }

/** Cheques for days to come go into the register. Nothing counts as paid by them yet. */
export async function registerPostDated(
  { db, clock }: Context,
  command: Command<PostDatedCheque[]>,
  { studentId, cheques, by }: Handed,
): Promise<PostDatedCheque[]> {
  const { instituteId } = command
  const at = clock.now()
  return transact(db, command, async tx => {
    await holdStudent(tx, { instituteId, studentId })
    const handed = cheques.map((cheque, index) => ({ cheque, key: `cheques.${index}.` }))
    return insertHanded(tx, { instituteId, studentId, replacesId: null, by, at }, handed)
  })
}

type Receiving = { instituteId: number; studentId: string; replacesId: string | null; by: string; at: Date }

async function insertHanded(
  tx: Transaction,
  { instituteId, studentId, replacesId, by, at }: Receiving,
  handed: readonly { cheque: HandedCheque; key: string }[],
): Promise<PostDatedCheque[]> {
  const rows = handed.map(({ cheque, key }) => {
    const { number, bank, date: datedOn, amountPaise } = cheque
    const depositOn = depositDayOf(cheque, dayOf(at), key)
    const morning = morningOf(reminderDay(depositOn))
    const remindAt = morning < at ? at : morning
    const received = { receivedAt: at, receivedBy: by, remindAt, replacesId }
    return {
      instituteId,
      id: newId('pdc'),
      studentId,
      number,
      bank,
      datedOn,
      depositOn,
      amountPaise,
      ...received,
    }
  })
  if (!(await store.insertCheques(tx, rows)))
    throw conflict('A cheque with this number is in the register already.')
  return store.readPostDated(
    tx,
    instituteId,
    rows.map(({ id }) => id),
  )
}

/**
 * Makes cheques payments at the counter on their day, spread by the institute's rule, with receipts that are subject to
 * realisation: from then on each is a cheque in the office like any other, to be put on a slip, cleared or bounced.
 */
export async function bankPostDated(
  { db, clock }: Context,
  command: Command<PostDatedCheque[]>,
  institute: Institute,
  { ids, by }: { ids: readonly string[]; by: string },
): Promise<PostDatedCheque[]> {
  const instituteId = institute.id
  const at = clock.now()
  return transact(db, command, async tx => {
    const held = await holdPostDated(tx, instituteId, ids)
    const paymentIds: string[] = []
    for (const cheque of held) {
      requireBankable(cheque, dayOf(at))
      const { payment } = await takeCheque(tx, institute, cheque, { by, at })
      await store.markTaken(tx, instituteId, { id: cheque.id, paymentId: payment.id })
      paymentIds.push(payment.id)
    }
    // A receipt's number is held until the commit, so they come last.
    for (const id of paymentIds) await issueDirectReceipt(tx, { instituteId, id }, at)
    return store.readPostDated(tx, instituteId, ids)
  })
}

async function takeCheque(
  tx: Transaction,
  institute: Institute,
  { id, serviceStudentId: studentId, number, bank, datedOn, amountPaise }: PostDatedCheque,
  { by, at }: { by: string; at: Date },
) {
  const key = { instituteId: institute.id, studentId }
  const lines = await spreadForStudent(tx, key, { amountPaise, day: dayOf(at) })
  const paid = { amountPaise, paidAt: at, mode: 'cheque', settlementUtr: null, notes: null, lines }
  return recordPaymentWithin(
    tx,
    { institute, studentId },
    {
      payment: { ...paid, transactionId: id },
      readOnTheWay,
      recordedBy: by,
      hasReceipt: false,
      instrument: { number, bank, date: datedOn },
      prepare: inner =>
        settleLateFees(inner, key, { lines, paidAt: at, typedAt: null, recordedBy: by, waiveReason: null }),
    },
    at,
  )
}

/** Held until the commit by their students, as every payment is. */
async function holdPostDated(
  tx: Transaction,
  instituteId: number,
  ids: readonly string[],
): Promise<PostDatedCheque[]> {
  const found = await store.readPostDated(tx, instituteId, ids)
  if (found.length < new Set(ids).size) throw notFound('This cheque')
  const students = new Set(found.map(one => one.serviceStudentId))
  await holdPayingStudents(tx, instituteId, [...students].toSorted())
  return store.readPostDated(tx, instituteId, ids)
}

type Ending = { id: string; reason: string; by: string }

/** Another cheque comes in the place of one that did not go to the bank, or that came back. */
export async function replacePostDated(
  { db, clock }: Context,
  command: Command<PostDatedCheque>,
  { id, reason, by }: Ending,
  cheque: HandedCheque,
): Promise<PostDatedCheque> {
  const { instituteId } = command
  const at = clock.now()
  return transact(db, command, async tx => {
    const { serviceStudentId: studentId } = await endHeld(tx, instituteId, {
      id,
      kind: 'replaced',
      reason,
      by,
      at,
    })
    const receiving = { instituteId, studentId, replacesId: id, by, at }
    return one(await insertHanded(tx, receiving, [{ cheque, key: '' }]))
  })
}

/** It goes back to the family. */
export async function giveBackPostDated(
  { db, clock }: Context,
  command: Command<PostDatedCheque>,
  { id, reason, by }: Ending,
): Promise<PostDatedCheque> {
  const { instituteId } = command
  const at = clock.now()
  return transact(db, command, async tx => {
    await endHeld(tx, instituteId, { id, kind: 'given_back', reason, by, at })
    return one(await store.readPostDated(tx, instituteId, [id]))
  })
}

/** The cheques of a student that wait for their day. */
export async function listHeldCheques(
  db: Queryable,
  instituteId: number,
  studentId: string,
): Promise<PostDatedCheque[]> {
  return store.readPostDated(db, instituteId, await store.listHeldIds(db, instituteId, studentId))
}

/** None of them goes to the bank any more: they wait for the family that leaves. The caller holds the student. */
export async function withdrawHeld(
  tx: Transaction,
  { instituteId, studentId }: { instituteId: number; studentId: string },
  end: { reason: string; by: string; at: Date },
): Promise<PostDatedCheque[]> {
  const held = await listHeldCheques(tx, instituteId, studentId)
  for (const { id } of held) await store.endCheque(tx, instituteId, { id, kind: 'to_give_back', ...end })
  return held
}

async function endHeld(
  tx: Transaction,
  instituteId: number,
  end: store.End & { kind: 'replaced' | 'given_back' },
): Promise<PostDatedCheque> {
  const held = one(await holdPostDated(tx, instituteId, [end.id]))
  requireEndable(held, end.kind)
  await store.endCheque(tx, instituteId, end)
  return held
}

function one(cheques: readonly PostDatedCheque[]): PostDatedCheque {
  const [cheque] = cheques
  if (cheque === undefined) throw notFound('This cheque')
  return cheque
}

/** How many wait for somebody to take them to the bank. */
export async function countToBank(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  instituteId: number,
): Promise<number> {
  return store.countToBank(db, instituteId, dayOf(clock.now()))
}

/** Tells families of cheques that go to the bank soon, each once. */
export async function remindOfCheques({ db, clock }: Context, limit: number): Promise<number> {
  const now = clock.now()
  return takeDue(db, await store.findToRemind(db, now, limit), async (tx, keys) => {
    const cheques = await store.takeToRemind(tx, keys, now)
    const languages = await languagesOf(tx, cheques)
    await queueMessages(
      tx,
      cheques.flatMap((cheque, index) => chequeReminder(cheque, languages[index] ?? 'en', now)),
    )
    return cheques.length
  })
}

export async function nextChequeReminderDue({ db }: Pick<Context, 'db'>): Promise<Date | null> {
  return store.nextToRemind(db)
}
