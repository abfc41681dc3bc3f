import { ProcessPool } from '../../platform/process-pool/process-pool.ts'
import type { CellKind, CellValue, Column } from './reports.rules.ts'

/** A spreadsheet is made whole, in a process of its own. */
const makers = new ProcessPool<SheetAsk, Uint8Array | null>(new URL('xlsx-process.ts', import.meta.url), {
  maxMs: 120_000,
  maxHeapMb: 700,
  processes: 2,
  maxWaiting: 20,
  idleMs: 0,
})

export type SheetHead = {
  name: string
  columns: { title: string; kind: CellKind }[]
  /** Lists on a second sheet, each below its title. */
  lists?: { name: string; columns: { title: string; values: readonly string[] }[] }
}
/** The head of a sheet first, then its rows; the end is answered with the file. */
export type SheetAsk = SheetHead | CellValue[][] | 'end'

type Table<Row> = { name: string; columns: readonly Column<Row>[]; rows: readonly Row[] }

/** A spreadsheet with several sheets, such as one for each class. */
export async function makeXlsxOf<Row>(instituteId: number, sheets: readonly Table<Row>[]): Promise<Buffer> {
  const make = async (ask: (part: SheetAsk) => Promise<Uint8Array | null>): Promise<Buffer> => {
    for (const { name, columns, rows } of sheets) {
      await ask({ name, columns: columns.map(({ title, kind }) => ({ title, kind })) })
      await ask(rows.map(row => columns.map(column => column.value(row))))
    }
    return fileOf(await ask('end'))
  }
  return makers.use(make, { share: instituteId, isUrgent: true })
}

function fileOf(file: Uint8Array | null): Buffer {
  if (file === null) throw new Error('a spreadsheet was not made')
  return Buffer.from(file)
}

export async function makeXlsx<Row>(
  instituteId: number,
  name: string,
  columns: readonly Column<Row>[],
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  lists?: SheetHead['lists'],
): Promise<Buffer> {
  const make = async (ask: (part: SheetAsk) => Promise<Uint8Array | null>): Promise<Buffer> => {
    await ask({ name, columns: columns.map(({ title, kind }) => ({ title, kind })), ...(lists && { lists }) })
    for await (const rows of batches) await ask(rows.map(row => columns.map(column => column.value(row))))
    return fileOf(await ask('end'))
  }
  return makers.use(make, { share: instituteId, isUrgent: true })
}
