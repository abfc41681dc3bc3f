import { largestOf } from '../../platform/lists.ts'
import { titleOf, type Cell } from './columns.rules.ts'
import type { FileRow } from './file-rows.ts'

/** Where a file names its columns; above it stand the school's name and the like. */
export type Head = {
  /** The last row of the header: rows below it are read. */
  lastRowNo: number
  titles: string[]
  /** Of two header rows the lower one's own titles; else the titles again. */
  lower: string[]
}

/** How far down the header may stand. */
export const HEAD_ROWS = 30
const MOST_COLUMNS = 60
/** What the file of rows to correct adds as its last column; a file that comes back is read without it. */
export const PROBLEM_TITLE = 'Problem'

/** One row as the header, or two of which the upper one names groups of columns. */
export function possibleHeads(rows: readonly FileRow[]): Head[] {
  return rows.slice(0, HEAD_ROWS).flatMap(({ rowNo, cells }, index) => {
    const titles = titlesOf(cells)
    if (titles.every(title => title === '')) return []
    const single = { lastRowNo: rowNo, titles, lower: titles }
    const next = rows[index + 1]
    const joined = next === undefined ? null : joinRows(titles, next)
    return joined === null ? [single] : [single, joined]
  })
}

function titlesOf(cells: readonly Cell[]): string[] {
  const titles = cells.map(titleOf).slice(0, MOST_COLUMNS)
  return titles.at(-1) === PROBLEM_TITLE ? titles.slice(0, -1) : titles
}

/** A merged cell has its text in its first column only: what stands to the left of a gap is the title of the gap too. */
function joinRows(upper: readonly string[], { rowNo, cells }: FileRow): Head | null {
  if (cells.some(isOfData)) return null
  const lower = titlesOf(cells)
  const width = Math.max(upper.length, lower.length)
  let group = ''
  let isGrouped = false
  const titles = Array.from({ length: width }, (_, index) => {
    const [above, below] = [upper[index] ?? '', lower[index] ?? '']
    if (above !== '') group = above
    if (below === '') return above
    if (above === '' && group !== '') isGrouped = true
    return group === '' || group === below ? below : `${group} ${below}`
  })
  if (!isGrouped) return null
  return { lastRowNo: rowNo, titles, lower: titles.map((title, index) => lower[index] || title) }
}

/** Titles have no numbers of their own, such as phones and amounts. */
function isOfData(cell: Cell): boolean {
  return cell instanceof Date || typeof cell === 'number' || /\d{4}/.test(String(cell ?? ''))
}

/** The head of which most columns are known; where none is, the first row that is about as wide as the table. */
export function chooseHead(rows: readonly FileRow[], known: (head: Head) => number): Head | null {
  const heads = possibleHeads(rows).map(head => ({ head, count: known(head) }))
  // Of two that say as much, the one without the school's name joined to its titles.
  const single = heads.filter(({ head }) => head.lower === head.titles)
  const best = [...single, ...heads].reduce((one, other) => (other.count > one.count ? other : one), {
    head: null as Head | null,
    count: 1,
  })
  if (best.head !== null) return best.head
  const widthOf = ({ titles }: Head): number => titles.filter(title => title !== '').length
  const widest = largestOf(heads.map(({ head }) => widthOf(head)))
  return heads.find(({ head }) => widthOf(head) * 2 >= widest)?.head ?? null
}
