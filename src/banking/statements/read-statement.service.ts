import { FileRefused, formatOf } from '../../imports/files/file-rows.ts'
import { withReader } from '../../imports/files/read-rows.ts'
import { unreadableWords } from '../../imports/imports.rules.ts'
import { partsOf, type ImportFile } from '../../imports/imports.service.ts'
import { badRequest } from '../../platform/errors.ts'
import { ProcessFailure } from '../../platform/process-pool/process-pool.ts'
import type { Row } from './columns.rules.ts'
import { isMt940 } from './mt940.rules.ts'

export const STATEMENT_BYTES = 5_000_000
const MOST_ROWS = 20_000
const HEAD_BYTES = 4_096

export type StatementFile =
  | { format: 'csv' | 'xlsx'; rows: Row[] }
  /** Has its own tags in place of columns. */
  | { format: 'mt940'; text: string }

/** CSV and XLSX are read in a process of their own, as every file of rows. */
export async function readStatementFile(file: ImportFile): Promise<StatementFile> {
  const head = await file.read(0, HEAD_BYTES)
  const format = formatOf(head)
  if (format === 'csv' && isMt940(head.toString('latin1')))
    return { format: 'mt940', text: (await file.read(0, file.bytes)).toString('utf8') }
  try {
    const rows = await withReader(async readRows => {
      const found: Row[] = []
      for await (const { rows: some } of readRows(format, partsOf(file))) {
        found.push(...some)
        if (found.length > MOST_ROWS)
          throw new FileRefused(`The statement has more than ${MOST_ROWS} rows. Upload it in parts.`)
      }
      return found
    })
    return { format, rows }
  } catch (error) {
    if (error instanceof ProcessFailure) throw badRequest(unreadableWords(error.reason))
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}
