import { FileRefused, type FileRows } from './import-file-rows.ts'
import { CellBroken, readSheet } from './import-sheet.ts'
import { openWorkbook } from './import-workbook.ts'
import { XmlBroken } from './import-xml.ts'
import { readDirectory, unpackedBytes } from './import-zip.ts'

/** Not for memory, of which a large one takes little more than a small one, but for the time that it takes. */
const MAX_UNPACKED_BYTES = 200_000_000

/**
 * Reads the first sheet of a spreadsheet. Held whole are the file as it was sent, packed, and its texts; the sheet itself
 * is unpacked and read piece by piece, and requests are answered in between.
 */
export async function* readXlsx(parts: AsyncIterable<Buffer>): AsyncGenerator<FileRows> {
  const entries = readDirectory(Buffer.concat(await Array.fromAsync(parts)))
  const unpacked = entries === null ? null : await unpackedBytes(entries, MAX_UNPACKED_BYTES)
  if (entries === null || unpacked === null) throw new FileRefused(BROKEN)
  if (unpacked > MAX_UNPACKED_BYTES) throw new FileRefused(`This spreadsheet is too large. ${SEND_CSV}`)
  try {
    const book = await openWorkbook(entries)
    if (book === null) throw new FileRefused(BROKEN)
    yield* readSheet(book)
  } catch (error) {
    throw explain(error)
  }
}

const SEND_CSV = 'Save it as "CSV UTF-8" and send that.'
const BROKEN = 'This is not an XLSX file that can be read. Save it anew as XLSX, or as "CSV UTF-8".'

function explain(error: unknown): unknown {
  if (error instanceof CellBroken) {
    return new FileRefused(
      `Row ${error.row} has a cell, number ${error.column}, that cannot be read. ` +
        'Open the file in a spreadsheet program and save it, or save it as "CSV UTF-8".',
    )
  }
  return error instanceof XmlBroken || isWrongBytes(error) ? new FileRefused(BROKEN) : error
}

/** Neither text in UTF-8 nor packed as an archive is. */
function isWrongBytes(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && (code === 'ERR_ENCODING_INVALID_ENCODED_DATA' || code.startsWith('Z_'))
}
