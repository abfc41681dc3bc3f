import { Archive, ArchiveBroken } from './archive.ts'
import { FileRefused, type FileRows } from './file-rows.ts'
import { CellBroken, readSheet } from './sheet.ts'
import { openWorkbook } from './workbook.ts'
import { XmlBroken } from './xml.ts'

/**
 * Reads the first sheet of a spreadsheet. Held whole are the file as it was sent, packed, and its texts; the sheet itself
 * is unpacked and read piece by piece.
 */
export async function* readXlsx(bytes: Buffer): AsyncGenerator<FileRows> {
  try {
    const book = await openWorkbook(await Archive.open(bytes))
    if (book === null) throw new FileRefused(BROKEN)
    yield* readSheet(book)
  } catch (error) {
    throw explain(error)
  }
}

const BROKEN = 'This is not an XLSX file that can be read. Save it anew as XLSX, or as "CSV UTF-8".'

function explain(error: unknown): unknown {
  if (error instanceof CellBroken) {
    return new FileRefused(
      `Row ${error.row} has a cell, number ${error.column}, that cannot be read. ` +
        'Open the file in a spreadsheet program and save it, or save it as "CSV UTF-8".',
    )
  }
  const isBroken = error instanceof XmlBroken || error instanceof ArchiveBroken || isNotUtf8(error)
  return isBroken ? new FileRefused(BROKEN) : error
}

function isNotUtf8(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
}
