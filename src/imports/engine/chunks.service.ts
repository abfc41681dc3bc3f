import { joinCatalogue, rememberEntries, unseenEntries } from '../../institutes/catalogue.service.ts'
import type { Database, Queryable } from '../../platform/db/database.ts'
import type { ImportKind } from '../imports.rules.ts'
import type { ImportKey } from '../imports.store.ts'
import type { ImportContext, Judged } from '../kinds/kind.ts'
import { importKinds } from '../kinds/kinds.ts'
import type { MaybeRead } from '../kinds/merge.rules.ts'
import { readGroups } from './rows.store.ts'

const CHUNK_ROWS = 1_000

export type Chunk = { rows: MaybeRead<unknown>[]; lastGroup: number }

/** Whole groups at a time, in the order of the file. */
export async function* readChunks(
  db: Queryable,
  key: ImportKey,
  after: number,
  chunkRows = CHUNK_ROWS,
): AsyncGenerator<Chunk> {
  let last = after
  for (;;) {
    const staged = await readGroups(db, key, last, chunkRows)
    if (staged.length === 0) return
    last = staged.at(-1)?.groupNo ?? last
    const rows = staged.map(({ body, ...place }) => {
      return { ...place, row: body === null ? null : (JSON.parse(body) as unknown) }
    })
    yield { rows, lastGroup: last }
  }
}

export function judgeChunk(
  db: Queryable,
  kind: ImportKind,
  context: ImportContext,
  { rows }: Chunk,
  options: { isLocked: boolean },
): Promise<Judged> {
  const groups = [...Map.groupBy(rows, row => row.groupNo).values()]
  return importKinds[kind].judge(db, context, groups, options)
}

/**
 * Codes join the catalogue on their own, before the rows that use them: a transaction that takes as long as a whole
 * file must not keep them from everybody else.
 */
export async function joinCodes(
  db: Database,
  kind: ImportKind,
  { institute }: ImportContext,
  { rows }: Chunk,
): Promise<void> {
  const codes = rows.flatMap(({ row }) => (row === null ? [] : importKinds[kind].codesOf(row)))
  const unseen = unseenEntries(db, institute, codes)
  if (unseen.length === 0) return
  await joinCatalogue(db, institute, unseen)
  rememberEntries(db, institute, unseen)
}
