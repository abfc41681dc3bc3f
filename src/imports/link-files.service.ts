import type { Institute } from '../institutes/institutes.rules.ts'
import { badRequest, conflict } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { ProcessFailure } from '../platform/process-pool/process-pool.ts'
import { checkImport, contextOf } from './engine/steps.service.ts'
import { FileRefused, formatOf } from './files/file-rows.ts'
import { withReader } from './files/read-rows.ts'
import { LINK_FILES, unreadableWords } from './imports.rules.ts'
import { changeImport, getImport, requireImport, type Import, type ImportFile } from './imports.service.ts'
import * as store from './imports.store.ts'
import { newLinks, tidyName, type LinkOptions } from './kinds/links/links.rules.ts'
import { countTold } from '../messages/messages.service.ts'
import { listLinks as readLinks, type MadeLink } from './kinds/links/links.store.ts'

export type { MadeLink } from './kinds/links/links.store.ts'

/** A file of payment links as the console handles it: checked while it is sent, then started by a person. */
type Target = { institute: Institute; id: string }

const PART_BYTES = 262_144

/** Nothing is made yet: somebody looks at the result and starts it. A file that cannot be used is refused. */
export async function createLinkFile(
  ctx: Context,
  command: Command<Import>,
  institute: Institute,
  sent: { file: ImportFile; fileName: string | undefined; createdBy: string },
): Promise<Import> {
  const { file } = sent
  const key = { instituteId: institute.id, id: newId('batch') }
  const fileFormat = formatOf(await file.read(0, 4))
  try {
    return await withReader(readRows =>
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
          columns: null,
          createdBy: sent.createdBy,
          createdAt: ctx.clock.now(),
        })
        const one = requireImport(await store.findImport(tx, key), LINK_FILES)
        const context = contextOf(ctx, institute, one)
        const rows = readRows(fileFormat, partsOf(file))
        await checkImport(tx, { key, one, context, rows }, () => {})
        return requireImport(await store.findImport(tx, key), LINK_FILES)
      }),
    )
  } catch (error) {
    if (error instanceof ProcessFailure) throw badRequest(unreadableWords(error.reason))
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}

export async function* partsOf(file: ImportFile): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.bytes; at += PART_BYTES) yield await file.read(at, PART_BYTES)
}

export async function listLinks(ctx: Context, { institute, id }: Target): Promise<MadeLink[]> {
  await getImport(ctx, institute, id, LINK_FILES)
  return readLinks(ctx.db, { instituteId: institute.id, id })
}

export type LinkFile = Import & { toldByEmail: number; toldBySms: number }

/** With how many payers were told of their links, and how; a message that failed counts for nothing. */
export async function getLinkFile(ctx: Context, { institute, id }: Target): Promise<LinkFile> {
  const batch = await getImport(ctx, institute, id, LINK_FILES)
  const links = await readLinks(ctx.db, { instituteId: institute.id, id })
  const made = links.filter(link => !link.isRepeated).map(link => link.orderId)
  const told = await countTold(ctx, institute.id, made)
  return { ...batch, toldByEmail: told.get('email') ?? 0, toldBySms: told.get('sms') ?? 0 }
}

/** From here on the worker makes the links of the good rows. */
export async function startLinkFile(
  ctx: Context,
  command: Command<Import>,
  target: Target,
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
export async function stopLinkFile(ctx: Context, command: Command<Import>, target: Target): Promise<Import> {
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
  { institute, id }: Target,
  change: (one: Import) => store.ImportChange,
): Promise<Import> {
  const key = { instituteId: institute.id, id }
  return transact(ctx.db, command, async tx => {
    requireImport(await store.findImport(tx, key), LINK_FILES)
    const one = requireImport(await store.lockImport(tx, key, { waits: true }), LINK_FILES)
    return changeImport(tx, key, change(one))
  })
}
