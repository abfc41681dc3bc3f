import type { Institute } from '../institutes/institutes.rules.ts'
import { badRequest, conflict } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { ROW_FILES } from '../platform/limits.rules.ts'
import { ProcessFailure } from '../platform/process-pool/process-pool.ts'
import { checkImport, contextOf } from './engine/steps.service.ts'
import type { DayForm } from './files/days.rules.ts'
import { FileRefused, formatOf } from './files/columns.rules.ts'
import { withReader } from './files/read-rows.ts'
import { LINK_FILES, unreadableWords } from './imports.rules.ts'
import {
  changeImport,
  getImport,
  partsOf,
  requireImport,
  type Import,
  type ImportFile,
} from './imports.service.ts'
import * as store from './imports.store.ts'
import { emptyFees, missingColumns, newLinks, tidyName, type LinkOptions } from './kinds/links/links.rules.ts'
import { placeColumns } from './match-columns.service.ts'
import { countTold } from '../messages/messages.service.ts'
import { listLinks as readLinks, type MadeLink } from './kinds/links/links.store.ts'

export type { MadeLink } from './kinds/links/links.store.ts'

/** A file of payment links as the console handles it: checked while it is sent, then started by a person. */
type LinkFileKey = { institute: Institute; id: string }

/** Nothing is made yet: somebody looks at the result and starts it. A file that cannot be used is refused. */
export async function createLinkFile(
  ctx: Context,
  command: Command<Import>,
  institute: Institute,
  sent: {
    file: ImportFile
    fileName: string | undefined
    createdBy: string
    /** A person's choice of columns; null: they are named like a link's fields. */
    names: (string | null)[] | null
    /** Which way is meant, for each column whose days could be read in two ways. */
    days: readonly (DayForm['yearLast'] | null)[]
  },
): Promise<Import> {
  const { file, names } = sent
  if (names !== null) requireColumns(names)
  const columns =
    names === null
      ? null
      : {
          ...(await placeColumns(ctx, institute, { file, kind: 'links' }, { names, days: sent.days })),
          defaults: emptyFees(names),
        }
  const key = { instituteId: institute.id, id: newId('batch') }
  const fileFormat = formatOf(await file.read(0, 4))
  try {
    return await withReader({ share: institute.id, isUrgent: true }, readRows =>
      transact(ctx.db, command, async tx => {
        await store.insertImport(tx, institute.id, {
          id: key.id,
          kind: 'links',
          mode: 'good',
          isDryRun: true,
          fileFormat,
          fileBytes: file.bytes,
          fileDigest: file.digest,
          fileName: tidyName(sent.fileName),
          columns,
          createdBy: sent.createdBy,
          createdAt: ctx.clock.now(),
        })
        const one = requireImport(await store.findImport(tx, key), LINK_FILES)
        const context = contextOf(ctx, institute, one)
        const rows = readRows({ format: fileFormat, limits: ROW_FILES.links }, partsOf(file))
        await checkImport(tx, { key, one, context, rows }, () => {})
        return requireImport(await store.findImport(tx, key), LINK_FILES)
      }),
    )
  } catch (error) {
    if (error instanceof ProcessFailure) throw badRequest(unreadableWords(error.reason))
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}

function requireColumns(names: readonly (string | null)[]): void {
  const named = names.filter(name => name !== null)
  const missing = missingColumns(named)
  if (missing.length > 0) throw badRequest(`These columns are missing: ${missing.join(', ')}.`)
  if (new Set(named).size < named.length)
    throw conflict('Two columns of the file are matched to the same field.')
}

export async function listLinks(ctx: Context, { institute, id }: LinkFileKey): Promise<MadeLink[]> {
  await getImport(ctx, institute, id, LINK_FILES)
  return readLinks(ctx.db, { instituteId: institute.id, id })
}

export type LinkFile = Import & { toldByEmail: number; toldBySms: number; smsWaiting: number }

/** Adds how many payers were told of their links, and by which channel; failed messages do not count. */
export async function getLinkFile(ctx: Context, { institute, id }: LinkFileKey): Promise<LinkFile> {
  const batch = await getImport(ctx, institute, id, LINK_FILES)
  const links = await readLinks(ctx.db, { instituteId: institute.id, id })
  const made = links.filter(link => !link.isRepeated).map(link => link.orderId)
  const told = await countTold(ctx, institute.id, made)
  const [email, sms] = [told.get('email'), told.get('sms')]
  return {
    ...batch,
    toldByEmail: email?.count ?? 0,
    toldBySms: sms?.count ?? 0,
    smsWaiting: sms?.waiting ?? 0,
  }
}

/** Hands the file to the worker, which makes the links of the good rows. */
export async function startLinkFile(
  ctx: Context,
  command: Command<Import>,
  target: LinkFileKey,
  options: LinkOptions,
): Promise<Import> {
  return decide(ctx, command, target, one => {
    if (one.state !== 'checked') throw conflict(`This file is ${one.state} already.`)
    if (newLinks(one) <= 0)
      throw conflict('There is no link to make: every row is bad, or its link was made before.')
    return { options, state: 'running', startedAt: ctx.clock.now() }
  })
}

/** Before it was started all of it is called off; afterwards what is still to be made. */
export async function stopLinkFile(
  ctx: Context,
  command: Command<Import>,
  target: LinkFileKey,
): Promise<Import> {
  return decide(ctx, command, target, ({ state }) => {
    const finishedAt = ctx.clock.now()
    if (state === 'checked') return { state: 'cancelled', finishedAt }
    if (state === 'running') return { state: 'stopped', finishedAt }
    throw conflict(`This file is ${state} already.`)
  })
}

/** Waits for a step under way, which takes well below a second. */
async function decide(
  ctx: Context,
  command: Command<Import>,
  { institute, id }: LinkFileKey,
  change: (one: Import) => store.ImportChange,
): Promise<Import> {
  const key = { instituteId: institute.id, id }
  return transact(ctx.db, command, async tx => {
    requireImport(await store.findImport(tx, key), LINK_FILES)
    const one = requireImport(await store.lockImport(tx, key, { waits: true }), LINK_FILES)
    return changeImport(tx, key, change(one))
  })
}
