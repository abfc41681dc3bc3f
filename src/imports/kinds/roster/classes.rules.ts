import { canonicalName, isSameName, nameKey, plainDigits } from '../../../platform/names.ts'
import { type Cell, cellText } from '../../files/columns.rules.ts'
import { feeCodeOf } from '../matched-columns.rules.ts'

/** What a list says of a class: VII-B is class 7, section B. */
export type WrittenClass = { grade: string; section: string | null }

const BEFORE_ONE: readonly (readonly [string, string])[] = [
  ['Pre-Nursery', 'pre[ .-]*nur(?:sery)?|play[ -]*(?:group|school|way)|toddlers?|pg'],
  ['Pre-KG', 'pre[ .-]*kg'],
  ['Nursery', 'nur(?:sery)?|nry'],
  ['LKG', 'lkg|(?:lower|junior|jr)[ .-]*(?:kg|kindergarten)|kg[ -]*(?:1|i)'],
  ['UKG', 'ukg|(?:upper|senior|sr)[ .-]*(?:kg|kindergarten)|kg[ -]*(?:2|ii)'],
]
const ROMAN = ['xii', 'xi', 'x', 'ix', 'viii', 'vii', 'vi', 'v', 'iv', 'iii', 'ii', 'i']
const WORDS = [
  'twelve|twelfth',
  'eleven|eleventh',
  'ten|tenth',
  'nine|ninth',
  'eight|eighth',
  'seven|seventh',
  'six|sixth',
  'five|fifth',
  'four|fourth',
  'three|third',
  'two|second',
  'one|first',
]

/** Each way to write a level, at the beginning of a text, with the level's own name. */
const LEVELS: readonly (readonly [string, RegExp])[] = [
  ...BEFORE_ONE.map(([name, ways]) => [name, startsWith(`(?:${ways})(?![a-z0-9])`)] as const),
  ...ROMAN.flatMap((roman, index) => {
    const name = String(ROMAN.length - index)
    return [
      [name, startsWith(`0?${name}(?!\\d) ?(?:st|nd|rd|th)?(?![a-z]{2})`)] as const,
      // A letter behind the numeral is the section: VIIB.
      [name, startsWith(`${roman}(?: ?(?:st|nd|rd|th)(?![a-z]))?(?![ivx0-9])(?![a-z]{2})`)] as const,
      [name, startsWith(`(?:${WORDS[index]})(?![a-z0-9])`)] as const,
    ]
  }),
]

function startsWith(pattern: string): RegExp {
  return new RegExp(`^${pattern}`)
}

const CALLED = /^(?:class|std|standard|grade|cls|कक्षा|वर्ग)(?![a-z])[ :.\-–]*/
const OF_SECTION = /^[ \-–/.,:(]*(?:(?:section|sec|division|div)(?![a-z])[ .:\-–]*)?["'“‘]?/
const LONGEST_SECTION = 20

/** The text as classes are compared, letter for letter: small, with plain digits and without full stops inside. */
function simple(text: string): string {
  return plainDigits(canonicalName(text))
    .replaceAll(/[\u00A0\t\r\n]/g, ' ')
    .replaceAll(/(?<=\b[a-z])\.(?=[a-z]\b)/gi, '')
    .replace(/^(\d+)\.0+$/, '$1')
}

/** Cuts off what may stand behind a name, as in `VII-B)` and `CLASS VI (`. */
function withoutTail(text: string): string {
  let end = text.length
  while (end > 0 && ' ."\'”’)](,;–-'.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

type Parts = { level: string; section: string | null }

/** A class by its level, where the text begins with one. */
function partsOf(text: string): Parts | null {
  const plain = simple(text).replaceAll(/ {2,}/g, ' ')
  const called = CALLED.exec(plain.toLowerCase())?.[0] ?? ''
  const bare = plain.slice(called.length)
  for (const [level, pattern] of LEVELS) {
    const found = pattern.exec(bare.toLowerCase())
    if (found === null) continue
    const section = sectionOf(bare.slice(found[0].length))
    return section === null || /^[\p{L}\p{N}]/u.test(section) ? { level, section } : null
  }
  return null
}

function sectionOf(text: string): string | null {
  const bare = text.slice(OF_SECTION.exec(text.toLowerCase())?.[0].length ?? 0)
  const section = withoutTail(bare)
  if (section === '') return null
  return section.length === 1 ? section.toUpperCase() : section
}

/** Classes of a school, ready to be found among by name, level and beginning. */
type Tier = {
  byName: ReadonlyMap<string, string>
  byLevel: ReadonlyMap<string, readonly WrittenClass[]>
  /** The longest first: Prep Senior - B is no section of Prep. */
  beginnings: readonly string[]
}

const MOST_BEGINNINGS = 200
/** Spellings of classes come from files. A file has a few hundred; the next ones are worked out anew. */
const MOST_REMEMBERED = 5_000

function tierOf(classes: readonly string[]): Tier {
  const levels = classes.flatMap(grade => {
    const parts = partsOf(grade)
    return parts === null ? [] : [{ level: parts.level, grade, section: parts.section }]
  })
  return {
    byName: new Map(classes.toReversed().map(grade => [nameKey(grade), grade])),
    byLevel: Map.groupBy(levels, ({ level }) => level),
    beginnings: classes.toSorted((one, other) => other.length - one.length).slice(0, MOST_BEGINNINGS),
  }
}

/** The classes of a school: those of the year's fee structure, and all that it has ever had. */
export class SchoolClasses {
  readonly ofYear: readonly string[]
  readonly #tiers: readonly Tier[]
  readonly #read = new Map<string, WrittenClass | null>()

  constructor({ ofYear, ever }: { ofYear: readonly string[]; ever: readonly string[] }) {
    this.ofYear = ofYear
    this.#tiers = [ofYear, ever].map(tierOf)
  }

  has(text: string): boolean {
    return this.#tiers.some(tier => tier.byName.has(nameKey(text)))
  }

  /**
   * The school's own name for a class that a list writes in its way: 7th, VII, Std. VII-B and Class 7 (B) are the class
   * that the school calls 7 or VII. A class that nobody has met before is its level, and null where the year has classes
   * and this cannot be read as one.
   */
  read(text: string): WrittenClass | null {
    const before = this.#read.get(text)
    if (before !== undefined) return before
    const found = this.#find(text.trim())
    if (this.#read.size === MOST_REMEMBERED) this.#read.clear()
    this.#read.set(text, found)
    return found
  }

  #find(written: string): WrittenClass | null {
    const parts = partsOf(written)
    const isShort = (parts?.section?.length ?? 0) <= LONGEST_SECTION
    for (const tier of this.#tiers) {
      const own = tier.byName.get(nameKey(written))
      if (own !== undefined) return { grade: own, section: null }
      const matched = matchLevel(parts, tier) ?? matchBeginning(written, tier)
      if (matched !== null) return matched
    }
    if (parts !== null && isShort) return { grade: parts.level, section: parts.section }
    return this.ofYear.length > 0 ? null : { grade: written, section: null }
  }
}

/** XI Science is the school's XI Science if it has one, and else section Science of its XI. */
function matchLevel(parts: Parts | null, { byLevel }: Tier): WrittenClass | null {
  const sameLevel = parts === null ? undefined : byLevel.get(parts.level)
  if (parts === null || sameLevel === undefined) return null
  const written = nameKey(parts.section ?? '')
  const sections = sameLevel.filter(({ section }) => section !== null)
  const same = sections.find(({ section }) => nameKey(section ?? '') === written)
  if (same !== undefined) return { grade: same.grade, section: null }
  const beginning = sections.find(({ section }) => written.startsWith(`${nameKey(section ?? '')} `))
  if (beginning !== undefined)
    return {
      grade: beginning.grade,
      section: sectionOf(parts.section?.slice(beginning.section?.length) ?? ''),
    }
  const whole = sameLevel.find(({ section }) => section === null)
  if (whole === undefined || (parts.section?.length ?? 0) > LONGEST_SECTION) return null
  return { grade: whole.grade, section: parts.section }
}

/** Prep - B is section B of the class Prep. */
function matchBeginning(written: string, { beginnings }: Tier): WrittenClass | null {
  const found = beginnings.find(
    one => isSameName(written.slice(0, one.length), one) && /^[ \-–/(]/.test(written.slice(one.length)),
  )
  if (found === undefined) return null
  const section = sectionOf(written.slice(found.length))
  return section !== null && section.length <= LONGEST_SECTION ? { grade: found, section } : null
}

/** The section that a text names besides the class, whatever the class: for a class that a person corrects. */
export function sectionWritten(text: string): string | null {
  const section = partsOf(text)?.section ?? /[ \-–/(]([a-z])\)?$/i.exec(text.trim())?.[1] ?? null
  return section !== null && section.length <= LONGEST_SECTION ? section : null
}

const LONGEST_BAND = 60

/** The class in a line of its own above its children: "CLASS : VI  SEC: A (Class teacher: Mrs. Rao)". Null for other lines. */
export function classInLine(text: string, classes: SchoolClasses): string | null {
  const [before = ''] = text.split(/class[ -]?teacher/i, 1)
  const line = withoutTail(before).trim()
  if (line.length > LONGEST_BAND || /^\d+$/.test(line)) return null
  if (classes.has(line)) return line
  const parts = partsOf(line)
  if (parts === null) return null
  const isCalled = CALLED.test(simple(line).toLowerCase())
  const isShort = /^[\p{L}\p{M}\p{N}]{0,3}$/u.test(parts.section ?? '')
  const isOneWord = /^[\p{L}\p{M}\p{N}]{0,20}$/u.test(parts.section ?? '')
  return isShort || (isCalled && isOneWord) ? line : null
}

/** "Section B" in a line of its own, below the line of its class. */
function sectionInLine(text: string): string | null {
  return /^(?:section|sec|division|div)\b[ .:\-–]*([\p{L}\p{N}]{1,20})$/iu.exec(text.trim())?.[1] ?? null
}

/** The title of the column that a file gets when its classes stand in lines of their own between the children. */
export const LINE_TITLE = 'Class, from the lines between'

export type Line =
  | { kind: 'child'; cells: readonly Cell[] }
  /** A line of its own that says which class the children below it are in. */
  | { kind: 'class' }
  | { kind: 'blank' }
  /** A total, a signature, the headings again: no child. */
  | { kind: 'other'; text: string }

const TOTAL =
  /^(?:(?:grand|sub|page|class)[ -]*)?total|^(?:total )?strength\b|^(?:prepared|checked|verified|printed|signature|principal|class teacher|note)\b/i
const LONGEST_SHOWN = 80

/** Tells the children of a school's own list from what stands between them, line by line from the top. */
export class RosterLines {
  readonly #titles: readonly string[]
  readonly #names: readonly (string | null)[]
  readonly #lineAt: number
  readonly #classes: SchoolClasses
  #class: string | null = null

  constructor(
    { titles, names }: { titles: readonly string[]; names: readonly (string | null)[] },
    classes: SchoolClasses,
  ) {
    this.#titles = titles
    this.#names = names
    this.#lineAt = titles.indexOf(LINE_TITLE)
    this.#classes = classes
  }

  take(cells: readonly Cell[]): Line {
    const texts = cells.map(textOf).filter(text => text !== '')
    if (texts.length === 0) return { kind: 'blank' }
    if (this.#isChild(cells, texts)) return { kind: 'child', cells: this.#withClass(cells) }
    const text = texts.join(' ')
    const found = classInLine(text, this.#classes) ?? classInLine(texts[0] ?? '', this.#classes)
    const section = sectionInLine(text)
    if (found !== null) this.#class = found
    else if (section !== null && this.#class !== null)
      this.#class = `${this.#class.replace(/-\w+$/, '')}-${section}`
    else return { kind: 'other', text: Array.from(text).slice(0, LONGEST_SHOWN).join('') }
    return { kind: 'class' }
  }

  /** Two cells of a child at least: its name alone could be anything. */
  #isChild(cells: readonly Cell[], texts: readonly string[]): boolean {
    const filled = this.#names.filter(
      (name, index) => name !== null && feeCodeOf(name) === null && textOf(cells[index] ?? null) !== '',
    )
    if (filled.length < 2 || isCounted(texts)) return false
    const identifier = textOf(cells[this.#names.indexOf('identifier')] ?? null)
    if (TOTAL.test(texts[0] ?? '') && (identifier === '' || identifier === texts[0])) return false
    return !texts.every(text => this.#isTitle(text))
  }

  #isTitle(text: string): boolean {
    const small = text.toLowerCase()
    return this.#titles.some(title => {
      const one = title.toLowerCase()
      return one === small || one.startsWith(`${small} `) || one.endsWith(` ${small}`)
    })
  }

  #withClass(cells: readonly Cell[]): readonly Cell[] {
    if (this.#lineAt < 0 || textOf(cells[this.#lineAt] ?? null) !== '') return cells
    return Array.from({ length: Math.max(cells.length, this.#lineAt + 1) }, (_, index) =>
      index === this.#lineAt ? this.#class : (cells[index] ?? null),
    )
  }
}

/** (1) (2) (3) below the headings. */
function isCounted(texts: readonly string[]): boolean {
  return texts.every((text, index) => text.replaceAll(/[().]/g, '') === String(index + 1))
}

function textOf(cell: Cell): string {
  return cellText(cell).trim()
}
