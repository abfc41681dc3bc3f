import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attributeOf, XmlReader } from '../../../src/imports/files/workbook.ts'

/** The error of a text that comes in these pieces. */
function tell(pieces: readonly string[]): string[] {
  const told: string[] = []
  const reader = new XmlReader({
    open: (name, attributes) => told.push(`open ${name} ${attributeOf(attributes, 'a') ?? ''}`),
    close: name => told.push(`close ${name}`),
    text: text => told.push(`text ${text}`),
  })
  for (const piece of pieces) reader.feed(piece)
  reader.finish()
  return told
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const text = fc.string({ unit: fc.constantFrom('a', 'अ', '😀', '<', '>', '&', '"', "'", ' ', ']') })
const name = fc.constantFrom('row', 'c', 'v', 'x:row')
const leaf = fc.tuple(name, text, text)

test('whatever is written is read back, in whatever pieces it comes', () => {
  fc.assert(
    fc.property(
      fc.array(leaf, { maxLength: 6 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (leaves, cuts) => {
        const parts = leaves.map(
          ([tag, value, inside]) =>
            `<${tag} b='>' a="${escape(value)}">${escape(inside)}<!-- <c> --><v a="${escape(value)}"/></${tag}>`,
        )
        const whole = `<?xml version="1.0"?><sheet>${parts.join('')}</sheet>`
        const pieces: string[] = []
        for (let at = 0; at < whole.length;) {
          const { value: length = 1 } = cuts.next()
          pieces.push(whole.slice(at, at + length))
          at += length
        }
        const expected = leaves.flatMap(([tag, value, inside]) => {
          const bare = tag.replace('x:', '')
          const texts = inside === '' ? [] : [`text ${inside}`]
          return [`open ${bare} ${value}`, ...texts, `open v ${value}`, 'close v', `close ${bare}`]
        })
        assert.deepEqual(tell(pieces), ['open sheet ', ...expected, 'close sheet'])
        assert.deepEqual(tell([whole]), tell(pieces))
      },
    ),
  )
})

test('whatever comes, it is read or refused, never an accident', () => {
  const noise = fc.string({
    unit: fc.constantFrom('<', '>', '/', '!', '-', '[', ']', '?', '"', 'a', '&', ';', '#', 'x', ' '),
  })
  fc.assert(
    fc.property(fc.array(noise, { maxLength: 8 }), pieces => {
      try {
        tell(pieces)
      } catch (error) {
        assert.equal((error as Error).name, 'XmlBroken')
      }
    }),
  )
})

test('what does not end is given up before it fills the memory', () => {
  const reader = new XmlReader({ open: () => {}, close: () => {}, text: () => {} })
  reader.feed('<a>')
  assert.throws(() => {
    for (let piece = 0; piece < 100; piece++) reader.feed('x'.repeat(65_536))
  }, /does not end/)
})

test('tags that are nested without end are given up', () => {
  const reader = new XmlReader({ open: () => {}, close: () => {}, text: () => {} })
  assert.throws(() => reader.feed('<a>'.repeat(1_000)), /nested too deeply/)
})
