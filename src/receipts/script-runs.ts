import { fileURLToPath } from 'node:url'

export type Weight = 'regular' | 'bold'

/** Text of one script, which one font shows. */
export type ScriptRun = { text: string; script: Script }

type Script = {
  /** Letters of the script, and signs that it shares with others. */
  has: RegExp
  package: string
  family: string
  /** Its files lie in no folders of weights. */
  isFlat?: boolean
  isRightToLeft?: boolean
}

/** Mukta has Latin, Devanagari and ₹ in one file; the fonts built into PDF have only the first. */
const MUKTA = { package: 'mukta', family: 'Mukta' }
const MAIN: Script = { has: /\p{sc=Latin}/v, ...MUKTA }

/** The scripts of the languages in the Eighth Schedule. A sign that several share goes to the first, unless it follows another. */
const SCRIPTS: readonly Script[] = [
  MAIN,
  { has: /\p{scx=Devanagari}/v, ...MUKTA },
  { has: /\p{scx=Bengali}/v, package: 'noto-sans-bengali', family: 'NotoSansBengali' },
  { has: /\p{scx=Gurmukhi}/v, package: 'baloo-paaji-2', family: 'BalooPaaji2', isFlat: true },
  { has: /\p{scx=Gujarati}/v, package: 'noto-sans-gujarati', family: 'NotoSansGujarati' },
  { has: /\p{scx=Oriya}/v, package: 'noto-sans-oriya', family: 'NotoSansOriya' },
  { has: /\p{scx=Tamil}/v, package: 'noto-sans-tamil', family: 'NotoSansTamil' },
  { has: /\p{scx=Telugu}/v, package: 'anek-telugu', family: 'AnekTelugu' },
  { has: /\p{scx=Kannada}/v, package: 'noto-sans-kannada', family: 'NotoSansKannada' },
  { has: /\p{scx=Malayalam}/v, package: 'anek-malayalam', family: 'AnekMalayalam' },
  { has: /\p{scx=Meetei_Mayek}/v, package: 'noto-sans-meetei-mayek', family: 'NotoSansMeeteiMayek' },
  { has: /\p{scx=Ol_Chiki}/v, package: 'noto-sans-ol-chiki', family: 'NotoSansOlChiki' },
  { has: /\p{scx=Arabic}/v, package: 'noto-naskh-arabic', family: 'NotoNaskhArabic', isRightToLeft: true },
]
const INHERITED = /\p{sc=Inherited}/v

/** Fonts are shaped by the rules of one script at a time, so each run has letters of one only. */
export function splitByScript(text: string): ScriptRun[] {
  const runs: ScriptRun[] = []
  for (const { segment: char } of CHARACTERS.segment(text)) {
    const last = runs.at(-1)
    const [first = ''] = char
    const isMore = last !== undefined && (INHERITED.test(first) || last.script.has.test(first))
    const script = isMore ? last.script : (SCRIPTS.find(({ has }) => has.test(first)) ?? MAIN)
    if (last?.script === script) last.text += char
    else runs.push({ text: char, script })
  }
  return runs
}

/** What is seen as one character, with its marks. */
export const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })

const FOLDERS = { regular: '400Regular', bold: '700Bold' }

export function fontFile({ package: name, family, isFlat = false }: Script, weight: Weight): string {
  const folder = FOLDERS[weight]
  const path = `@expo-google-fonts/${name}/${isFlat ? '' : `${folder}/`}${family}_${folder}.ttf`
  const known = files.get(path) ?? fileURLToPath(import.meta.resolve(path))
  files.set(path, known)
  return known
}

/** The regular weight of a font by the name of its family. */
export function fontFileOf(family: string): string {
  return fontFile(SCRIPTS.find(script => script.family === family) ?? MAIN, 'regular')
}

const files = new Map<string, string>()

export const MAIN_FONT = MAIN
