import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './accounts.store.ts'

export type { BankAccount } from './accounts.store.ts'

const MOST_ACCOUNTS = 50

/** Few, so they are listed whole, the oldest first. */
export async function listBankAccounts(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
): Promise<store.BankAccount[]> {
  return store.listAccounts(db, institute.id)
}

export async function addBankAccount(
  { db, clock }: Context,
  command: Command<store.BankAccount>,
  name: string,
): Promise<store.BankAccount> {
  return transact(db, command, async tx => {
    const known = await store.listAccounts(tx, command.instituteId)
    if (known.length >= MOST_ACCOUNTS) throw conflict(`There are ${MOST_ACCOUNTS} bank accounts already.`)
    const account = { id: newId('acct'), name, createdAt: clock.now() }
    if (!(await store.insertAccount(tx, command.instituteId, account)))
      throw badField('name', 'is the name of another bank account')
    return account
  })
}

export async function requireBankAccount(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<store.BankAccount> {
  const account = (await store.listAccounts(db, instituteId)).find(one => one.id === id)
  if (account === undefined) throw badField('account_id', 'is not a bank account of this institute')
  return account
}
