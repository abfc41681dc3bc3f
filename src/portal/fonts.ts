/**
 * The scripts of India beside Latin, for browsers whose system has no font for them. A browser takes what it has by one of
 * the local names, and otherwise loads the one file whose letters stand on the page.
 */
type WebFont = {
  /** Name of the font, the same as in receipts. */
  family: string
  ranges: string
  local: readonly string[]
}

const block = (family: string, ranges: string, ...local: string[]): WebFont => ({
  family,
  ranges,
  local: local.flatMap(localNames),
})

/** Android has its fonts under full or PostScript names, older ones in a narrower cut for menus. */
function localNames(name: string): string[] {
  if (!name.startsWith('Noto')) return [name]
  const plain = name.replaceAll(' ', '')
  return [name, `${name} Regular`, `${plain}-Regular`, `${name} UI`, `${plain}UI-Regular`]
}

export const WEB_FONTS: readonly WebFont[] = [
  block(
    'Mukta',
    'U+900-97F, U+A8E0-A8FF',
    'Noto Sans Devanagari',
    'Kohinoor Devanagari',
    'Devanagari Sangam MN',
    'Nirmala UI',
    'Mangal',
  ),
  block('NotoSansBengali', 'U+980-9FF', 'Noto Sans Bengali', 'Bangla Sangam MN', 'Nirmala UI'),
  block('BalooPaaji2', 'U+A00-A7F', 'Noto Sans Gurmukhi', 'Gurmukhi Sangam MN', 'Nirmala UI'),
  block('NotoSansGujarati', 'U+A80-AFF', 'Noto Sans Gujarati', 'Gujarati Sangam MN', 'Nirmala UI'),
  block('NotoSansOriya', 'U+B00-B7F', 'Noto Sans Oriya', 'Oriya Sangam MN', 'Nirmala UI'),
  block('NotoSansTamil', 'U+B80-BFF', 'Noto Sans Tamil', 'Tamil Sangam MN', 'Nirmala UI'),
  block('AnekTelugu', 'U+C00-C7F', 'Noto Sans Telugu', 'Telugu Sangam MN', 'Nirmala UI'),
  block('NotoSansKannada', 'U+C80-CFF', 'Noto Sans Kannada', 'Kannada Sangam MN', 'Nirmala UI'),
  block('AnekMalayalam', 'U+D00-D7F', 'Noto Sans Malayalam', 'Malayalam Sangam MN', 'Nirmala UI'),
  block('NotoSansMeeteiMayek', 'U+AAE0-AAFF, U+ABC0-ABFF', 'Noto Sans Meetei Mayek'),
  block('NotoSansOlChiki', 'U+1C50-1C7F', 'Noto Sans Ol Chiki', 'Nirmala UI'),
  block(
    'NotoNaskhArabic',
    'U+600-6FF, U+750-77F, U+FB50-FDFF, U+FE70-FEFF',
    'Noto Naskh Arabic',
    'Geeza Pro',
  ),
]

/** All of them and more, in a class that is looked through several times as fast: most pages have none. */
const BEYOND_LATIN = /[\u0600-\u1fff\u2c00-\uffff]/

const LETTERS =
  /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Meetei_Mayek}\p{Script=Ol_Chiki}\p{Script=Arabic}]/v

/** Whether a page has letters of any of them; the name of the other language in the switch is not worth a font. */
export function needsFonts(html: string): boolean {
  const end = html.lastIndexOf('<footer class="switch">')
  const text = end === -1 ? html : html.slice(0, end)
  return BEYOND_LATIN.test(text) && LETTERS.test(text)
}

/** The family comes first in the list of every page's fonts; it has no letters but those of its scripts. */
export const FONT_STYLE = WEB_FONTS.map(({ family, ranges, local }) => {
  const sources = [...local.map(name => `local("${name}")`), `url("/fonts/${family}.ttf") format("truetype")`]
  return `@font-face{font-family:"Bursar scripts";font-display:swap;src:${sources.join(',')};unicode-range:${ranges}}`
}).join('\n')
