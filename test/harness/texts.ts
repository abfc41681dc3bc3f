import fc from 'fast-check'

type Length = { minLength?: number; maxLength?: number }

const SURROGATES = { from: 0xd800, count: 0x800 }

const character = fc
  .integer({ min: 0, max: 0x10_ffff - SURROGATES.count })
  .map(code => String.fromCodePoint(code < SURROGATES.from ? code : code + SURROGATES.count))

/**
 * Text of any characters, and words that are dangerous in JavaScript. fast-check's own unit `binary` first makes a map of
 * all million characters, which takes seconds of each process and a hundred megabytes.
 */
export function anyText(length: Length = {}): fc.Arbitrary<string> {
  const drawn = fc.array(character, length).map(characters => characters.join(''))
  return fc.oneof({ weight: 3, arbitrary: drawn }, fc.string(length))
}
