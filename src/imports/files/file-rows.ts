import { ROW } from '../../platform/limits.rules.ts'
import type { Cell } from './columns.rules.ts'

/** A row of a file as its spreadsheet counts: the header is row 1. */
export type FileRow = { rowNo: number; cells: readonly Cell[] }

/** Some rows, and how much of the file was read until then, from 0 to 1. */
export type FileRows = { rows: FileRow[]; share: number }

/** Longer than any field is; what is longer still is cut. */
export function addToCell(text: string, more: string): string {
  return text.length < ROW.cellCharacters ? (text + more).slice(0, ROW.cellCharacters) : text
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
