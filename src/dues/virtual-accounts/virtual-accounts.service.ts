import { recordEvents } from '../../events/events.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { virtualAccountsOf, type PaymentContext } from '../../payments/context.ts'
import { forEachSettled } from '../../platform/concurrency.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { BursarError, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import type { Account, BranchKey } from '../../providers/accounts/registry.service.ts'
import { ProviderRefused, type OpenedVirtualAccount } from '../../providers/port.ts'
import { holdStudent } from '../../students/profile/lock-student.service.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import type { StudentKey } from '../../students/students.rules.ts'
import { virtualAccountEvent } from './virtual-account.events.ts'
import * as store from './virtual-accounts.store.ts'
import type { OpenVirtualAccount, VirtualAccount } from './virtual-accounts.store.ts'

export type { OpenVirtualAccount } from './virtual-accounts.store.ts'

export type GivenAccount = OpenVirtualAccount & { isNew: boolean }

type AccountOwner = { institute: Institute; studentId: string }

/** The account number of a student, or the last one that was closed; null when it never had any. */
export async function findVirtualAccount(
  { db }: { db: Queryable },
  key: StudentKey,
): Promise<OpenVirtualAccount | null> {
  const account = await store.findOfStudent(db, key)
  return account !== null && isOpen(account) ? account : null
}

export async function getVirtualAccount(
  ctx: { db: Queryable },
  key: StudentKey,
): Promise<OpenVirtualAccount> {
  const account = await findVirtualAccount(ctx, key)
  if (account === null) throw notFound('An account number of this student')
  return account
}

/** Whether the provider of a branch gives students account numbers. */
export async function givesAccountNumbers(
  { accounts }: Pick<PaymentContext, 'accounts'>,
  branch: BranchKey,
): Promise<boolean> {
  return (await accounts.accountFor(branch, 'payments'))?.port.virtualAccounts !== undefined
}

/**
 * Gives a student an account number, or answers the one that it has. Our id for it is stored before the provider is asked; if the
 * answer is lost, whoever asks next asks for the same account again.
 */
export async function openVirtualAccount(
  ctx: PaymentContext,
  command: Command<GivenAccount>,
  { institute, studentId }: AccountOwner,
): Promise<GivenAccount> {
  const key = { instituteId: institute.id, studentId }
  const { student } = await readContext(ctx.db, key)
  const at = { instituteId: institute.id, collectorCode: student.collectorCode }
  const account = await ctx.accounts.accountFor(at, 'payments')
  const { wanted, askedAt } = await ctx.db.transaction(tx => prepare(tx, key, account, ctx.clock.now()))
  if (isOpen(wanted)) return transact(ctx.db, command, async () => ({ ...wanted, isNew: false }))
  const port = await virtualAccountsOf(ctx, wanted)
  const holderName = `${institute.name} ${student.fullname}`
  const request = { ...at, virtualAccountId: wanted.id, holderName, askedAt }
  const opened = await port.open(request).catch((error: unknown) => {
    if (!(error instanceof ProviderRefused)) throw error
    throw conflict(`The payment provider gives no account number: ${error.message}`)
  })
  return transact(ctx.db, command, tx => finish(tx, key, opened, ctx.clock.now()))
}

type GivenAccounts = { given: GivenAccount[]; leftOut: { id: string; why: string }[] }

const OPENED_AT_ONCE = 8

/** Gives many students account numbers, each by itself: who cannot have one, or has one, is named with why. */
export async function openVirtualAccounts(
  ctx: PaymentContext,
  institute: Institute,
  studentIds: readonly string[],
): Promise<GivenAccounts> {
  const made: GivenAccounts = { given: [], leftOut: [] }
  const open = async (studentId: string): Promise<void> => {
    try {
      const account = await openVirtualAccount(ctx, { instituteId: institute.id }, { institute, studentId })
      if (account.isNew) made.given.push(account)
      else made.leftOut.push({ id: studentId, why: `It has the number ${account.accountNumber}.` })
    } catch (error) {
      if (!(error instanceof BursarError) || error.httpStatus >= 500) throw error
      made.leftOut.push({ id: studentId, why: error.message })
    }
  }
  const left = new Set(studentIds).values()
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => forEachSettled(left, open)))
  return made
}

async function prepare(
  tx: Transaction,
  key: StudentKey,
  account: Account | null,
  createdAt: Date,
): Promise<{ wanted: VirtualAccount; askedAt: Date | null }> {
  await holdStudent(tx, key)
  const known = await store.findOfStudent(tx, key)
  if (known !== null && known.state !== 'closed') return { wanted: known, askedAt: known.createdAt }
  const { student } = await readContext(tx, key)
  if (student.status === 'dropped') throw hasLeft()
  if (account?.port.virtualAccounts === undefined)
    throw conflict('The payment provider of this branch gives students no account numbers.')
  const made: VirtualAccount = {
    ...key,
    id: newId('va'),
    provider: account.provider,
    accountId: account.id,
    state: 'opening',
    providerRef: null,
    accountNumber: null,
    ifsc: null,
    upiId: null,
    createdAt,
    openedAt: null,
    closedAt: null,
  }
  await store.insertAccount(tx, made)
  return { wanted: made, askedAt: null }
}

/** Two who asked at once were given the same account by the provider; the first of them records it. */
async function finish(
  tx: Transaction,
  key: StudentKey,
  given: OpenedVirtualAccount,
  openedAt: Date,
): Promise<GivenAccount> {
  await holdStudent(tx, key)
  const known = await store.findOfStudent(tx, key)
  // It was taken away while the provider was asked, and nobody has seen the number.
  if (known === null || known.state === 'closed') throw hasLeft()
  if (isOpen(known)) return { ...known, isNew: false }
  const opened = { ...known, ...given, state: 'active' as const, openedAt }
  await store.setOpened(tx, opened)
  const about = { instituteId: key.instituteId, context: await readContext(tx, key), at: openedAt }
  await recordEvents(tx, [virtualAccountEvent('virtual_account.created', about, opened)])
  return { ...opened, isNew: true }
}

/**
 * Closes the account number of a student who leaves, in the transaction of that. The provider is not asked to: until it could
 * have answered, and for as long as people know the number, money comes to it, and a person decides about that.
 */
export async function closeVirtualAccount(tx: Transaction, key: StudentKey, closedAt: Date): Promise<void> {
  const known = await store.findOfStudent(tx, key)
  if (known === null || known.state === 'closed') return
  if (!isOpen(known)) return store.deleteOpening(tx, known)
  const closed = { ...known, state: 'closed' as const, closedAt }
  await store.setClosed(tx, closed)
  const about = { instituteId: key.instituteId, context: await readContext(tx, key), at: closedAt }
  await recordEvents(tx, [virtualAccountEvent('virtual_account.closed', about, closed)])
}

const hasLeft = () => conflict('This student has left and gets no account number.')

function isOpen(account: VirtualAccount): account is OpenVirtualAccount {
  return account.state !== 'opening'
}

async function readContext(db: Queryable, key: StudentKey): Promise<StudentContext> {
  const context = (await readStudentContexts(db, [key])).get(key.studentId)
  if (context === undefined) throw notFound('This student')
  return context
}
