import { recordEvents } from '../../events/events.service.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { virtualAccountsOf, type PaymentContext } from '../../payments/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { BursarError } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import { ProviderRefused } from '../../providers/port.ts'
import { holdStudents } from '../../students/profile/lock-student.service.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import type { StudentKey } from '../../students/students.rules.ts'
import { virtualAccountEvent } from './virtual-account.events.ts'
import { askProvider, GIVES_NONE, HAS_LEFT, isOpen, newAccount, record } from './virtual-accounts.service.ts'
import * as store from './virtual-accounts.store.ts'
import type { AccountCounts, DueAccount } from './virtual-accounts.store.ts'

/** Account numbers for many students, and what the provider is asked in the background. */

type LeftOut = { id: string; name: string; why: string }
export type RequestedAccounts = { done: string[]; leftOut: LeftOut[] }

/**
 * Asks for account numbers of many students: each row stands before anybody is asked, so a process that dies leaves the rest to
 * the next, and none is asked for twice. Who cannot have one, or has one, is named with why.
 */
export async function requestVirtualAccounts(
  ctx: PaymentContext,
  command: Command<RequestedAccounts>,
  { institute, studentIds }: { institute: Institute; studentIds: readonly string[] },
): Promise<RequestedAccounts> {
  const ids = [...new Set(studentIds)]
  const keys = ids.map(studentId => ({ instituteId: institute.id, studentId }))
  const branches = new Map<string, Account | null>()
  for (const { student } of (await readStudentContexts(ctx.db, keys)).values()) {
    const at = { instituteId: institute.id, collectorCode: student.collectorCode }
    if (!branches.has(at.collectorCode))
      branches.set(at.collectorCode, await ctx.accounts.accountFor(at, 'payments'))
  }
  return transact(ctx.db, command, async tx => {
    await holdStudents(tx, keys)
    const known = await store.listOfStudents(tx, institute.id, ids)
    const contexts = await readStudentContexts(tx, keys)
    const at = ctx.clock.now()
    const made: RequestedAccounts = { done: [], leftOut: [] }
    for (const key of keys) {
      const { studentId: id } = key
      const student = contexts.get(id)?.student
      const account = branches.get(student?.collectorCode ?? '') ?? null
      const why = whyNot(student, known.get(id), account)
      if (why !== null || account === null) {
        made.leftOut.push({ id, name: student?.fullname ?? id, why: why ?? GIVES_NONE })
        continue
      }
      await store.request(tx, { ...newAccount(key, account, at), dueAt: at })
      made.done.push(id)
    }
    return made
  })
}

function whyNot(
  student: StudentContext['student'] | undefined,
  known: store.VirtualAccount | undefined,
  account: Account | null,
): string | null {
  if (student === undefined) return 'This student was not found. Check its id.'
  if (student.status === 'dropped') return HAS_LEFT
  if (known !== undefined && isOpen(known)) return `It has the number ${known.accountNumber}.`
  return account?.port.virtualAccounts === undefined ? GIVES_NONE : null
}

/** How far it is. */
export async function countVirtualAccounts(
  { db }: { db: Queryable },
  institute: Institute,
): Promise<AccountCounts> {
  return store.countAccounts(db, institute.id)
}

export async function nextAccountDue({ db }: { db: Queryable }): Promise<Date | null> {
  return store.nextDue(db)
}

/** What a provider is asked at once, and at most in one go: a school of thousands must not use up what it lets an account ask. */
const [AT_ONCE, IN_ONE_GO] = [4, 20]

/**
 * Asks providers for numbers that were wished for, and to close those of leavers. A provider that does not answer is left alone
 * after its first failures: what was taken and not asked is due again when its time is over.
 */
export async function askForAccounts(ctx: PaymentContext, limit: number): Promise<number> {
  const due = await store.claimDue(ctx.db, ctx.clock.now(), Math.min(limit, IN_ONE_GO))
  const left = due.values()
  const work = async (): Promise<void> => {
    for (const account of left) await ask(ctx, account)
  }
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return due.length
}

const MINUTE_MS = 60_000
const LONGEST_WAIT_MINUTES = 60

async function ask(ctx: PaymentContext, account: DueAccount): Promise<void> {
  try {
    await (account.state === 'closed' ? close(ctx, account) : open(ctx, account))
  } catch (error) {
    const isRefused = error instanceof ProviderRefused
    const waitMs = Math.min(2 ** account.tries, LONGEST_WAIT_MINUTES) * MINUTE_MS
    await store.setAsked(ctx.db, {
      ...account,
      dueAt: isRefused ? null : new Date(ctx.clock.now().getTime() + waitMs),
      refusal: isRefused ? error.message : null,
    })
    if (!isRefused) throw error
  }
}

async function open(ctx: PaymentContext, account: DueAccount): Promise<void> {
  const { instituteId, studentId } = account
  const key = { instituteId, studentId }
  const [institute] = await getInstitutesById(ctx, [instituteId])
  const student = (await readStudentContexts(ctx.db, [key])).get(studentId)?.student
  if (institute === undefined || student === undefined) throw new Error('a student vanished')
  const askedAt = account.tries > 1 ? account.createdAt : null
  const opened = await askProvider(ctx, account, { institute, student, askedAt })
  try {
    await ctx.db.transaction(tx => record(tx, key, opened, ctx.clock.now()))
  } catch (error) {
    // It has left meanwhile, and with it this request: nobody has seen the number.
    if (!(error instanceof BursarError) || error.httpStatus >= 500) throw error
  }
}

async function close(ctx: PaymentContext, account: DueAccount): Promise<void> {
  const { instituteId, providerRef } = account
  if (providerRef !== null) await (await virtualAccountsOf(ctx, account)).close({ instituteId, providerRef })
  await store.setAsked(ctx.db, { ...account, dueAt: null, refusal: null })
}

/**
 * Closes the account number of a student who leaves, in the transaction of that. The provider is asked after it; until it has
 * done so, money still comes to the number, and a person decides about that.
 */
export async function closeVirtualAccount(tx: Transaction, key: StudentKey, closedAt: Date): Promise<void> {
  const known = await store.findOfStudent(tx, key)
  if (known === null || known.state === 'closed') return
  if (!isOpen(known)) return store.deleteOpening(tx, known)
  const closed = { ...known, state: 'closed' as const, closedAt, dueAt: closedAt }
  await store.setClosed(tx, closed)
  const context = (await readStudentContexts(tx, [key])).get(key.studentId)
  if (context === undefined) throw new Error('a student vanished')
  const about = { instituteId: key.instituteId, context, at: closedAt }
  await recordEvents(tx, [virtualAccountEvent('virtual_account.closed', about, closed)])
}
