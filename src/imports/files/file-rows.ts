import type { Cell } from './columns.rules.ts'

/** A row of a file as its spreadsheet counts: the header is row 1. */
export type FileRow = { rowNo: number; cells: readonly Cell[] }

/** Some rows, and how much of the file was read until then, from 0 to 1. */
export type FileRows = { rows: FileRow[]; share: number }

/** More than any file has here; what stands further to the right is taken for one that has too many cells. */
export const MAX_COLUMNS = 500
export const MAX_ROW_CHARACTERS = 100_000
/** As many as a spreadsheet program lets a cell have; what is longer is cut. */
const MAX_CELL_CHARACTERS = 32_767

export function addToCell(text: string, more: string): string {
  return text.length < MAX_CELL_CHARACTERS ? (text + more).slice(0, MAX_CELL_CHARACTERS) : text
}

/** The file as a whole cannot be used; the message tells a person what to do. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused'
}

export type FileFormat = 'csv' | 'xlsx'

/** An XLSX file is a ZIP archive; everything else is taken for CSV. */
export function formatOf(head: Buffer): FileFormat {
  return head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004')) ? 'xlsx' : 'csv'
}
