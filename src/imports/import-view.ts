import type { Static } from 'typebox'
import type { ImportView, ProblemView } from './imports.schemas.ts'
import type { Import, Problem } from './imports.service.ts'

type View = Static<typeof ImportView>

/** Imports and their problems as they are answered with. */
export function importView(one: Import): View {
  const isChecked = one.checkedAt !== null
  return {
    id: one.id,
    kind: one.kind as View['kind'],
    mode: one.mode,
    dry_run: one.isDryRun,
    state: one.state as View['state'],
    ...(one.message === null ? {} : { message: one.message }),
    progress: one.percent,
    file: { format: one.fileFormat, bytes: one.fileBytes, sha256: one.fileDigest.toString('hex') },
    rows: {
      total: one.totalRows,
      good: isChecked ? one.totalRows - one.badRows : 0,
      bad: one.badRows,
      applied: one.appliedRows,
      unchanged: one.unchangedRows,
    },
    unknown_columns: one.unknownColumns,
    created_at: one.createdAt.toISOString(),
    ...(one.checkedAt === null ? {} : { checked_at: one.checkedAt.toISOString() }),
    ...(one.finishedAt === null ? {} : { finished_at: one.finishedAt.toISOString() }),
  }
}

export function problemView({ rowNo, column, message }: Problem): Static<typeof ProblemView> {
  return { row: rowNo, ...(column === '' ? {} : { column }), message }
}
