import { createInflateRaw } from 'node:zlib'

/**
 * How large an archive is when it is unpacked, found out without keeping any of it: a small file may unpack to more
 * than a machine holds. What its directory says is believed only after it was counted.
 */
type Entry = { method: number; packed: Buffer; claimed: number }

const DIRECTORY_END = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_ENTRY = 0x04034b50
const DIRECTORY_END_BYTES = 22
const LONGEST_COMMENT = 65_535
const MAX_ENTRIES = 2_000
/** Alignment and data descriptors between entries; more than this would be entries that the directory hides. */
const MAX_GAPS = 65_536

/** Null when it is no archive; more than the limit as soon as that is certain. */
export async function unpackedBytes(archive: Buffer, limit: number): Promise<number | null> {
  const entries = readDirectory(archive)
  if (entries === null) return null
  const claimed = entries.reduce((sum, entry) => sum + entry.claimed, 0)
  if (claimed > limit) return claimed
  let total = 0
  for (const { method, packed } of entries) {
    const bytes = method === 0 ? packed.length : await inflatedBytes(packed, limit - total)
    if (bytes === null) return null
    total += bytes
    if (total > limit) return total
  }
  return total
}

function readDirectory(archive: Buffer): Entry[] | null {
  try {
    return parseDirectory(archive)
  } catch (error) {
    // Numbers in it point beyond its end.
    if (error instanceof RangeError) return null
    throw error
  }
}

function parseDirectory(archive: Buffer): Entry[] | null {
  const end = findEnd(archive)
  if (end < 0) return null
  const count = archive.readUInt16LE(end + 10)
  const start = archive.readUInt32LE(end + 16)
  if (count > MAX_ENTRIES) return null
  const entries: Entry[] = []
  let covered = 0
  for (let at = start, i = 0; i < count; i++) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) return null
    const packedBytes = archive.readUInt32LE(at + 20)
    const local = archive.readUInt32LE(at + 42)
    if (archive.readUInt32LE(local) !== LOCAL_ENTRY) return null
    const dataAt = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    if (dataAt + packedBytes > start) return null
    entries.push({
      method: archive.readUInt16LE(at + 10),
      packed: archive.subarray(dataAt, dataAt + packedBytes),
      claimed: archive.readUInt32LE(at + 24),
    })
    covered += dataAt + packedBytes - local
    const [name, extra, comment] = [28, 30, 32].map(offset => archive.readUInt16LE(at + offset))
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return start - covered > MAX_GAPS ? null : entries
}

function findEnd(archive: Buffer): number {
  const last = archive.length - DIRECTORY_END_BYTES
  for (let at = last; at >= Math.max(0, last - LONGEST_COMMENT); at--)
    if (archive.readUInt32LE(at) === DIRECTORY_END) return at
  return -1
}

async function inflatedBytes(packed: Buffer, limit: number): Promise<number | null> {
  const inflate = createInflateRaw()
  inflate.end(packed)
  let bytes = 0
  try {
    for await (const chunk of inflate) {
      bytes += (chunk as Buffer).length
      if (bytes > limit) break
    }
    return bytes
  } catch {
    return null
  }
}
