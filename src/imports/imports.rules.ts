/** Kinds of import that the ERP's API takes. */
export const ERP_KINDS = ['students', 'fees', 'payments'] as const
export type ErpKind = (typeof ERP_KINDS)[number]
export type ImportKind = ErpKind | 'links' | 'roster'

/** Imports of one address: what is not among its kinds does not exist there. */
export type ImportFamily = { kinds: readonly ImportKind[]; noun: string }
export const ERP_IMPORTS: ImportFamily = { kinds: ERP_KINDS, noun: 'This import' }
export const ROSTERS: ImportFamily = { kinds: ['roster'], noun: 'This list of students' }
export const LINK_FILES: ImportFamily = { kinds: ['links'], noun: 'This file of links' }

export const IMPORT_MODES = ['all', 'good'] as const
export type ImportMode = (typeof IMPORT_MODES)[number]

export const IMPORT_STATES = ['checking', 'checked', 'running', 'done', 'failed', 'cancelled'] as const
/** stopped: of a file of links, by a person, half way. */
export type ImportState = (typeof IMPORT_STATES)[number] | 'stopped'

/** The types of files that are read. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
export const MEDIA_TYPES = ['text/csv', XLSX_TYPE]
/** A file that is wrong in every row is not reported row by row. */
export const MAX_PROBLEMS_KEPT = 20_000
export const MAX_PROBLEMS_PER_ROW = 10

/** Problems that differ only in what they name, such as a row, a month or a class, are told together. */
export function summaryOf(message: string): string {
  const at = message.search(/[\d:;“"]/)
  return (at < 0 ? message : message.slice(0, at).trim()) || message
}

type ImportOptions = { mode: ImportMode; isDryRun: boolean }
type RowCounts = { totalRows: number; badRows: number }

/** It waits when nobody asked for more than the check, or when all was asked for and not all is good. */
export function stateAfterCheck(
  { mode, isDryRun }: ImportOptions,
  { badRows }: RowCounts,
): 'checked' | 'running' {
  return isDryRun || (mode === 'all' && badRows > 0) ? 'checked' : 'running'
}

export function waitingWords({ isDryRun }: ImportOptions, { totalRows, badRows }: RowCounts): string | null {
  if (badRows === 0) return isDryRun ? 'All rows are good. Nothing has been applied yet.' : null
  const all = `${badRows} of ${totalRows} rows ${badRows === 1 ? 'is' : 'are'} bad, so nothing was applied.`
  return `${all} Correct them and send the file again, or apply the good rows only.`
}

/** Why a file is refused whose reading had to be ended. */
export function unreadableWords(reason: 'time' | 'memory' | 'crash'): string {
  const why = {
    time: 'it takes too long to read',
    memory: 'it takes too much memory to read',
    crash: 'reading it ended unexpectedly',
  }[reason]
  return `The file was refused: ${why}. Save it as "CSV UTF-8", or split it into several, and send that.`
}
