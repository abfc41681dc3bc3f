import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { ARCHIVE } from '../../platform/limits.rules.ts'
import { FileRefused } from './file-rows.ts'

export function tooLarge(): FileRefused {
  return new FileRefused('This spreadsheet is too large. Save it as "CSV UTF-8" and send that.')
}

/** What the archive or its XML is not; the reader of the file puts it into words for a person. */
export class ArchiveBroken extends Error {
  override readonly name = 'ArchiveBroken'
}

/**
 * The files of a ZIP archive. yauzl fails as soon as an entry unpacks to more than the directory claims, so a small
 * archive cannot grow: the claims alone decide whether it is too large.
 */
export class Archive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  static async open(bytes: Buffer): Promise<Archive> {
    const { zip, entries } = await readDirectory(bytes)
    const claimed = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
    // Not for memory, of which a large one takes little more than a small one, but for the time that it takes.
    if (claimed > ARCHIVE.unpackedBytes) throw tooLarge()
    return new Archive(zip, new Map(entries.map(entry => [entry.fileName, entry])))
  }

  find(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  /** Piece by piece. */
  async *unpack(entry: Entry): AsyncGenerator<Buffer> {
    try {
      for await (const part of await this.#zip.openReadStreamPromise(entry)) yield part as Buffer
    } catch (error) {
      throw new ArchiveBroken('an entry cannot be unpacked', { cause: error })
    }
  }
}

async function readDirectory(bytes: Buffer): Promise<{ zip: ZipFile; entries: Entry[] }> {
  try {
    const zip = await fromBufferPromise(bytes)
    if (zip.entryCount > ARCHIVE.entries) throw new ArchiveBroken('it has too many entries')
    return { zip, entries: await Array.fromAsync(zip.eachEntry()) }
  } catch (error) {
    throw new ArchiveBroken('its directory cannot be read', { cause: error })
  }
}
