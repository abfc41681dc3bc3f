import { type Cell, cellText } from '../../files/columns.rules.ts'
import { feeCodeOf } from '../matched-columns.rules.ts'
import { classInLine, sectionInLine, type SchoolClasses } from './classes.rules.ts'

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
