import type { Context } from '../../../platform/context.ts'
import { conflict, notFound } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { transact, type Command } from '../../../platform/idempotency.ts'
import * as store from './views.store.ts'

export type { Owner } from './views.store.ts'

/** A person may save so many at one institute, over all lists. */
const MOST_VIEWS = 100

export async function listViews({ db }: Context, owner: store.Owner, list: string): Promise<store.View[]> {
  return store.listViews(db, owner, list, MOST_VIEWS)
}

/** A list's filters under a name; nobody else sees it, but its address works for everybody. */
export async function saveView(
  { db }: Context,
  command: Command<store.View>,
  owner: store.Owner,
  view: Omit<store.View, 'id'>,
): Promise<store.View> {
  return transact(db, command, async tx => {
    if ((await store.countViews(tx, owner)) >= MOST_VIEWS)
      throw conflict(`You have ${MOST_VIEWS} saved views here. Remove one that you no longer use.`)
    const saved = await store.saveView(tx, owner, { ...view, id: newId('view') })
    if (saved === null) throw notFound('This view')
    return saved
  })
}

export async function removeView(
  { db }: Context,
  command: Command<store.View>,
  owner: store.Owner,
  id: string,
): Promise<store.View> {
  return transact(db, command, async tx => {
    const removed = await store.deleteView(tx, owner, id)
    if (removed === null) throw notFound('This view')
    return removed
  })
}
