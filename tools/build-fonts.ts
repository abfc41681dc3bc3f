import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LATIN, LATIN_WEIGHTS, SCRIPT_FONTS } from '../src/http/assets.ts'
import { fontFileOf } from '../src/receipts/script-runs.ts'

/** Cuts the fonts down to the letters that pages use, as WOFF2 in `build/fonts`: Inter becomes 28 KB of 133. */
const FOLDER = fileURLToPath(new URL('../build/fonts/', import.meta.url))

/** Joiners, the danda and the dotted circle, which letters of any script may stand beside. */
const SHARED = 'U+200C-200D, U+964-965, U+25CC'

const SOURCES = ['build-fonts.ts', '../src/http/assets.ts', '../package-lock.json']

/** Cutting takes some seconds, and is done again only after a change. */
function isBuilt(): boolean {
  const names = [...LATIN, ...SCRIPT_FONTS].map(({ name }) => `${FOLDER}${name}.woff2`)
  if (!names.every(name => existsSync(name))) return false
  const oldestMs = Math.min(...names.map(name => statSync(name).mtimeMs))
  return SOURCES.every(source => statSync(new URL(source, import.meta.url)).mtimeMs < oldestMs)
}

export async function buildFonts(): Promise<void> {
  if (isBuilt()) return
  const { default: subset } = await import('subset-font')
  mkdirSync(FOLDER, { recursive: true })
  const write = async (
    name: string,
    source: string,
    letters: string,
    axes?: { wght: typeof LATIN_WEIGHTS },
  ): Promise<void> => {
    const file = await subset(readFileSync(source), letters, {
      targetFormat: 'woff2',
      ...(axes === undefined ? {} : { variationAxes: axes }),
    })
    const fresh = `${FOLDER}${name}.${process.pid}`
    writeFileSync(fresh, file)
    renameSync(fresh, `${FOLDER}${name}.woff2`)
  }
  for (const { name, part, ranges } of LATIN) {
    const file = import.meta.resolve(`@fontsource-variable/inter/files/inter-${part}-wght-normal.woff2`)
    await write(name, fileURLToPath(file), lettersOf(ranges), { wght: LATIN_WEIGHTS })
  }
  for (const { name, ranges } of SCRIPT_FONTS)
    await write(name, fontFileOf(name), lettersOf(`${ranges}, ${SHARED}`))
}

/** `U+20-22, U+26` as the letters themselves. */
function lettersOf(ranges: string): string {
  return ranges
    .split(', ')
    .map(range => {
      const [from = 0, to = from] = range
        .slice(2)
        .split('-')
        .map(hex => Number.parseInt(hex, 16))
      return String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, index) => from + index))
    })
    .join('')
}
