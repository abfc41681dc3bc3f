import { joinCatalogue, rememberEntries, unseenEntries } from '../institutes/catalogue.service.ts'
import type { Database, Queryable } from '../platform/db/database.ts'
import { feeImport } from './import-fees.service.ts'
import { paymentImport } from './import-payments.service.ts'
import type { RowOf } from './import-rows.schemas.ts'
import { readGroups } from './import-rows.store.ts'
import type { ImportHandler, ImportScene, Judged } from './import-scene.ts'
import { studentImport } from './import-students.service.ts'
import type { MaybeRead } from './import-units.rules.ts'
import type { ImportKind } from './imports.rules.ts'
import type { ImportKey } from './imports.store.ts'

export const handlers: { [Kind in ImportKind]: ImportHandler<Kind> } = {
  students: studentImport,
  fees: feeImport,
  payments: paymentImport,
}

const CHUNK_ROWS = 1_000

export type Chunk<Kind extends ImportKind> = { rows: MaybeRead<RowOf[Kind]>[]; lastGroup: number }

/** Whole students at a time, in the order of the file. */
export async function* readChunks<Kind extends ImportKind>(
  db: Queryable,
  key: ImportKey,
  after: number,
): AsyncGenerator<Chunk<Kind>> {
  let last = after
  for (;;) {
    const staged = await readGroups(db, key, last, CHUNK_ROWS)
    if (staged.length === 0) return
    last = staged.at(-1)?.groupNo ?? last
    const rows = staged.map(({ body, ...place }) => {
      return { ...place, row: body === null ? null : (JSON.parse(body) as RowOf[Kind]) }
    })
    yield { rows, lastGroup: last }
  }
}

export function judgeGroups<Kind extends ImportKind>(
  db: Queryable,
  kind: Kind,
  scene: ImportScene,
  rows: Chunk<Kind>['rows'],
  options: { isHeld: boolean },
): Promise<Judged> {
  const groups = [...Map.groupBy(rows, row => row.groupNo).values()]
  return handlers[kind].judge(db, scene, groups, options)
}

/**
 * Codes join the catalogue on their own, before the rows that use them: a transaction that takes as long as a whole
 * file must not keep them from everybody else.
 */
export async function joinCodes<Kind extends ImportKind>(
  db: Database,
  kind: Kind,
  { institute }: ImportScene,
  rows: Chunk<Kind>['rows'],
): Promise<void> {
  const codes = rows.flatMap(({ row }) => (row === null ? [] : handlers[kind].codesOf(row)))
  const unseen = unseenEntries(db, institute, codes)
  if (unseen.length === 0) return
  await joinCatalogue(db, institute, unseen)
  rememberEntries(db, institute, unseen)
}
