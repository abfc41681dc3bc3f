import assert from 'node:assert/strict'
import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { NotOpened, readSealed, sealing, SEGMENT_BYTES, Vault } from '../../src/platform/secrets.ts'
import { scratch } from './embedded-postgres/fixtures/support.ts'

const MASTER_KEY = Buffer.alloc(32, 7)
const seal = { vault: new Vault(MASTER_KEY), purpose: 'backup' }
const HEADER = 48
const WHOLE = SEGMENT_BYTES + 16

/** Random bytes do not shrink, so the length of what is sealed is known but for what gzip puts around them. */
const pack = (bytes: number): Buffer => gzipSync(randomBytes(bytes), { level: 0 })

const sealed = (plain: Buffer, how = seal): Promise<Buffer> => buffer(sealing(how)(Readable.from([plain])))

function opener(t: TestContext) {
  const path = join(scratch(t), 'sealed')
  return (bytes: Buffer, how = seal): Promise<Buffer> => {
    writeFileSync(path, bytes)
    return buffer(readSealed(path, how, () => {}))
  }
}

test('what was sealed opens to the same bytes, wherever a segment ends', async t => {
  const open = opener(t)
  for (const segments of [0, 1, 2])
    for (const more of [-30, -29, -28, -24, -23, -22, -1, 0, 1]) {
      const plain = pack(Math.max(0, segments * SEGMENT_BYTES + more))
      const file = await sealed(plain)
      assert.equal(file.length, HEADER + plain.length + 16 * Math.ceil(plain.length / SEGMENT_BYTES))
      assert.deepEqual(await open(file), gunzipSync(plain))
    }
})

test('a file that was cut, put in another order, lengthened or changed is refused, and nothing after that place is given out', async t => {
  const open = opener(t)
  const file = await sealed(pack(4 * SEGMENT_BYTES))
  const other = await sealed(pack(4 * SEGMENT_BYTES))
  const header = file.subarray(0, HEADER)
  const part = (of: Buffer, number: number): Buffer =>
    of.subarray(HEADER + number * WHOLE, HEADER + (number + 1) * WHOLE)
  const parts = (...numbers: number[]): Buffer =>
    Buffer.concat([header, ...numbers.map(number => part(file, number))])
  const flipped = (at: number): Buffer => {
    const changed = Buffer.from(file)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    return changed
  }
  assert.deepEqual(parts(0, 1, 2, 3, 4), file)
  const damaged = /^is damaged, cut short or put together from other parts: its segment \d does not open$/
  for (const [what, content, reason] of [
    ['cut where a segment ends', parts(0, 1, 2, 3), /^is cut short: its end is missing$/],
    ['cut behind the first segment', parts(0), /^is cut short: its end is missing$/],
    ['cut within a segment', file.subarray(0, HEADER + 2 * WHOLE + 1_000), damaged],
    ['cut within a tag', file.subarray(0, -1), damaged],
    ['cut behind the header', header, damaged],
    ['cut within the header', file.subarray(0, 20), /^is cut short: it ends in its header$/],
    ['in another order', parts(0, 2, 1, 3, 4), damaged],
    ['with a segment twice', parts(0, 1, 1, 2, 3, 4), damaged],
    ['without a segment', parts(0, 2, 3, 4), damaged],
    ['its end alone', parts(4), damaged],
    ['with its end twice', parts(0, 1, 2, 3, 4, 4), damaged],
    ['lengthened', Buffer.concat([file, Buffer.of(0)]), damaged],
    ['with a segment of another file', Buffer.concat([parts(0), part(other, 1), part(file, 2)]), damaged],
    ['under the header of another file', Buffer.concat([other.subarray(0, HEADER), part(file, 0)]), damaged],
    ['with a changed salt', flipped(30), damaged],
    ['with a changed byte', flipped(HEADER + WHOLE + 5), damaged],
    ['with a changed tag', flipped(HEADER + WHOLE - 1), damaged],
    ['of a later format', flipped(7), /^has a later format/],
    ['of an earlier Bursar', gzipSync('{"name":"Asha"}'), /^is not encrypted/],
    ['of somebody else', Buffer.from('hello'), /^is not a file that Bursar sealed$/],
    ['empty', Buffer.alloc(0), /^is not a file that Bursar sealed$/],
  ] as const)
    await assert.rejects(
      open(content),
      (error: Error) => error instanceof NotOpened && reason.test(error.message),
      what,
    )
})

test('a file opens under its own master key and for its own purpose alone', async t => {
  const open = opener(t)
  const file = await sealed(pack(10))
  const other = { ...seal, vault: new Vault(Buffer.alloc(32, 8)) }
  await assert.rejects(open(file, other), /was made under another master key: set MASTER_KEY/)
  await assert.rejects(open(file, { ...seal, purpose: 'archive events 2026-01' }), /segment 1 does not open/)
  assert.notDeepEqual(await sealed(pack(10)), await sealed(pack(10)), 'each has a key of its own')
})

test('one segment at a time is in memory, however large the file is', async () => {
  let taken = 0
  async function* plain(): AsyncGenerator<Buffer> {
    for (; taken < 64 * SEGMENT_BYTES; taken += SEGMENT_BYTES / 4) yield Buffer.alloc(SEGMENT_BYTES / 4)
  }
  let given = 0
  for await (const chunk of sealing(seal)(plain())) {
    given += chunk.length
    assert.ok(taken - given <= 2 * SEGMENT_BYTES, `${taken - given} bytes are held`)
  }
  assert.equal(given, HEADER + 64 * WHOLE)
})

/** As the record of the format says it, with nothing of our own code. */
function openByTheBook(file: Buffer, masterKey: Buffer, purpose: string): Buffer {
  const [header, salt] = [file.subarray(0, 48), file.subarray(16, 48)]
  const key = Buffer.from(hkdfSync('sha256', masterKey, salt, `bursar file v1 ${purpose}`, 32))
  const plain: Buffer[] = []
  for (let at = 48, number = 0; at < file.length; at += 262_160, number++) {
    const segment = file.subarray(at, at + 262_160)
    const nonce = Buffer.alloc(12)
    nonce.writeUInt32BE(number, 7)
    nonce[11] = at + 262_160 < file.length ? 0 : 1
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(header)
    decipher.setAuthTag(segment.subarray(-16))
    plain.push(decipher.update(segment.subarray(0, -16)), decipher.final())
  }
  return gunzipSync(Buffer.concat(plain))
}

test('whoever has the master key and the written format can read a file without Bursar', async () => {
  const plain = pack(2 * SEGMENT_BYTES + 5)
  const file = await sealed(plain)
  assert.equal(file.subarray(0, 8).toString('latin1'), 'BURSAR\0\x01')
  const keyId = Buffer.from(hkdfSync('sha256', MASTER_KEY, '', 'bursar key id v1', 8))
  assert.deepEqual(file.subarray(8, 16), keyId)
  assert.deepEqual(openByTheBook(file, MASTER_KEY, 'backup'), gunzipSync(plain))
  const record = readFileSync(
    new URL('../../docs/adr/0053-files-are-sealed-under-the-master-key.md', import.meta.url),
    'utf8',
  )
  for (const said of ['bursar file v1 ', 'bursar key id v1', '262,144', 'AES-256-GCM', 'HKDF-SHA256'])
    assert.ok(record.includes(said), `the record says ${said}`)
})
