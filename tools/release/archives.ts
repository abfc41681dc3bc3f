import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

/**
 * Archives whose bytes follow from what is in them: entries in the order of their names, all of one time, of nobody, and
 * either readable or executable.
 */
export type Entry = { name: string; bytes: Buffer; isExecutable?: boolean }

const [PLAIN, EXECUTABLE] = [0o644, 0o755]
/** Names are UTF-8. */
const UTF8 = 0x0800
const DEFLATED = 8
/** What unpacks it needs version 2.0; it was made on Unix, by the rules of version 3.0. */
const [NEEDS, MADE_BY] = [20, (3 << 8) | 30]
const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50]

/** The files of a folder, but for those that a build leaves in it. */
export function entriesOf(folder: string, under: string): Entry[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => !/(^|\/)(node_modules|__pycache__|target|[^/]*\.egg-info)(\/|$)/.test(name))
    .filter(name => statSync(join(folder, name)).isFile())
    .map(name => entryOf(join(folder, name), under + name))
}

export function entryOf(path: string, name: string): Entry {
  return { name, bytes: readFileSync(path), isExecutable: (statSync(path).mode & 0o100) !== 0 }
}

export function zipOf(entries: readonly Entry[], at: Date): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, bytes, isExecutable } of inOrder(entries)) {
    const path = Buffer.from(name)
    const packed = deflateRawSync(bytes, { level: 9 })
    const about = Buffer.alloc(26)
    about.writeUInt16LE(NEEDS, 0)
    about.writeUInt16LE(UTF8, 2)
    about.writeUInt16LE(DEFLATED, 4)
    about.writeUInt32LE(dosTime(at), 6)
    about.writeUInt32LE(crc32(bytes), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(bytes.length, 18)
    about.writeUInt16LE(path.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(((isExecutable === true ? EXECUTABLE : PLAIN) | 0o100000) * 0x10000, 6)
    place.writeUInt32LE(offset, 10)
    central.push(number(CENTRAL, 4), number(MADE_BY, 2), about, place, path)
    const local = Buffer.concat([number(LOCAL, 4), about, path, packed])
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, number(END, 4), end])
}

export async function tarGzOf(entries: readonly Entry[], at: Date): Promise<Buffer> {
  const tar = pack()
  for (const { name, bytes, isExecutable } of inOrder(entries))
    tar.entry({ name, mode: isExecutable === true ? EXECUTABLE : PLAIN, mtime: at }, bytes)
  tar.finalize()
  const parts: Buffer[] = []
  for await (const part of tar) parts.push(part as Buffer)
  return gzipSync(Buffer.concat(parts), { level: 9 })
}

/** By bytes, which no setting of a machine changes. */
function inOrder(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)))
}

function number(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntLE(value, 0, length)
  return bytes
}

/** Seconds in twos, since 1980. */
function dosTime(at: Date): number {
  const day = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((day << 16) | time) >>> 0
}
