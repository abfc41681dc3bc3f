import { recordEvents } from '../../events/events.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { virtualAccountsOf, type PaymentContext } from '../../payments/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { conflict, notFound } from '../../platform/errors.ts'
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

/** The account numbers that take money, by student. */
export async function listVirtualAccounts(
  { db }: { db: Queryable },
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, OpenVirtualAccount>> {
  const known = await store.listOfStudents(db, instituteId, studentIds)
  return new Map([...known].flatMap(([id, one]) => (isOpen(one) ? [[id, one] as const] : [])))
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
  const asked = { institute, student, askedAt }
  const opened = await askProvider(ctx, wanted, asked).catch((error: unknown) => {
    if (!(error instanceof ProviderRefused)) throw error
    throw conflict(`The payment provider gives no account number: ${error.message}`)
  })
  return transact(ctx.db, command, tx => record(tx, key, opened, ctx.clock.now()))
}

/** Has the provider open an account of which the row stands. `askedAt`: when that was tried before. */
export async function askProvider(
  ctx: PaymentContext,
  wanted: VirtualAccount,
  {
    institute,
    student,
    askedAt,
  }: { institute: Institute; student: StudentContext['student']; askedAt: Date | null },
): Promise<OpenedVirtualAccount> {
  const { instituteId, id: virtualAccountId } = wanted
  const { collectorCode, fullname } = student
  const holderName = `${institute.name} ${fullname}`
  const port = await virtualAccountsOf(ctx, wanted)
  return port.open({ instituteId, collectorCode, virtualAccountId, holderName, askedAt })
}

async function prepare(
  tx: Transaction,
  key: StudentKey,
  account: Account | null,
  createdAt: Date,
): Promise<{ wanted: VirtualAccount; askedAt: Date | null }> {
  await holdStudent(tx, key)
  const known = await store.findOfStudent(tx, key)
  if (known !== null && known.state !== 'closed') {
    if (!isOpen(known)) await store.countTry(tx, known)
    return { wanted: known, askedAt: known.tries === 0 ? null : known.createdAt }
  }
  const { student } = await readContext(tx, key)
  if (student.status === 'dropped') throw conflict(HAS_LEFT)
  if (account?.port.virtualAccounts === undefined) throw conflict(GIVES_NONE)
  const made = { ...newAccount(key, account, createdAt), tries: 1 }
  await store.insertAccount(tx, made)
  return { wanted: made, askedAt: null }
}

/** One that the provider has not been asked for. */
export function newAccount(key: StudentKey, account: Account, createdAt: Date): VirtualAccount {
  return {
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
    tries: 0,
    dueAt: null,
    refusal: null,
  }
}

/** Two who asked at once were given the same account by the provider; the first of them records it. */
export async function record(
  tx: Transaction,
  key: StudentKey,
  given: OpenedVirtualAccount,
  openedAt: Date,
): Promise<GivenAccount> {
  await holdStudent(tx, key)
  const known = await store.findOfStudent(tx, key)
  // It was taken away while the provider was asked, and nobody has seen the number.
  if (known === null || known.state === 'closed') throw conflict(HAS_LEFT)
  if (isOpen(known)) return { ...known, isNew: false }
  const opened = { ...known, ...given, state: 'active' as const, openedAt, dueAt: null, refusal: null }
  await store.setOpened(tx, opened)
  const about = { instituteId: key.instituteId, context: await readContext(tx, key), at: openedAt }
  await recordEvents(tx, [virtualAccountEvent('virtual_account.created', about, opened)])
  return { ...opened, isNew: true }
}

export const HAS_LEFT = 'This student has left and gets no account number.'
export const GIVES_NONE = 'The payment provider of this branch gives students no account numbers.'

export function isOpen(account: VirtualAccount): account is OpenVirtualAccount {
  return account.state !== 'opening'
}

async function readContext(db: Queryable, key: StudentKey): Promise<StudentContext> {
  const context = (await readStudentContexts(db, [key])).get(key.studentId)
  if (context === undefined) throw notFound('This student')
  return context
}
