import { createInflateRaw } from 'node:zlib'

/** A file in an archive, still packed. */
export type Entry = { name: string; method: number; packed: Buffer; claimed: number }

const DIRECTORY_END = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_ENTRY = 0x04034b50
const DIRECTORY_END_BYTES = 22
const LONGEST_COMMENT = 65_535
const MAX_ENTRIES = 2_000
/** Alignment and data descriptors between entries; more than this would be entries that the directory hides. */
const MAX_GAPS = 65_536

/**
 * How large an archive is when it is unpacked, found out without keeping any of it: a small file may unpack to more
 * than a machine holds. What its directory says is believed only after it was counted. Null when it cannot be unpacked;
 * more than the limit as soon as that is certain.
 */
export async function unpackedBytes(entries: readonly Entry[], limit: number): Promise<number | null> {
  const claimed = entries.reduce((sum, entry) => sum + entry.claimed, 0)
  if (claimed > limit) return claimed
  let total = 0
  for (const entry of entries) {
    const bytes = await countBytes(entry, limit - total)
    if (bytes === null) return null
    total += bytes
    if (total > limit) return total
  }
  return total
}

/** Null when it is no archive. */
export function readDirectory(archive: Buffer): Entry[] | null {
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
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map(offset => archive.readUInt16LE(at + offset))
    entries.push({
      name: archive.toString('utf8', at + 46, at + 46 + name),
      method: archive.readUInt16LE(at + 10),
      packed: archive.subarray(dataAt, dataAt + packedBytes),
      claimed: archive.readUInt32LE(at + 24),
    })
    covered += dataAt + packedBytes - local
    at += 46 + name + extra + comment
  }
  return start - covered > MAX_GAPS ? null : entries
}

function findEnd(archive: Buffer): number {
  const last = archive.length - DIRECTORY_END_BYTES
  for (let at = last; at >= Math.max(0, last - LONGEST_COMMENT); at--)
    if (archive.readUInt32LE(at) === DIRECTORY_END) return at
  return -1
}

async function countBytes(entry: Entry, limit: number): Promise<number | null> {
  let bytes = 0
  try {
    for await (const part of unpack(entry)) {
      bytes += part.length
      if (bytes > limit) break
    }
    return bytes
  } catch {
    return null
  }
}

const PART_BYTES = 65_536

/** Piece by piece; fails where the packed bytes make no sense. */
export async function* unpack({ method, packed }: Entry): AsyncGenerator<Buffer> {
  if (method === 0) {
    for (let at = 0; at < packed.length; at += PART_BYTES) yield packed.subarray(at, at + PART_BYTES)
    return
  }
  const inflate = createInflateRaw({ chunkSize: PART_BYTES })
  inflate.end(packed)
  for await (const part of inflate) yield part as Buffer
}
