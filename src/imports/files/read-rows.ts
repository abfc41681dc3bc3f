import { readCsv } from './csv.ts'
import type { FileFormat, FileRows } from './file-rows.ts'
import { readXlsx } from './xlsx.ts'

/** The file's parts are read one after the other, and no more than one of them is held for a CSV file. */
export function readRows(
  format: FileFormat,
  parts: AsyncIterable<Buffer>,
  totalBytes: number,
): AsyncGenerator<FileRows> {
  return format === 'csv' ? readCsv(parts, totalBytes) : readXlsx(parts)
}
