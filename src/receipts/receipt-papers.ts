/** What offices print receipts on: a sheet, half a sheet, or the roll of a thermal printer. */
export const PAPERS = ['a4', 'a5', '80mm'] as const
export type PaperName = (typeof PAPERS)[number]

/** Measures in points. Of the roll only the length that is needed is used. */
export type Paper = {
  width: number
  height: number
  margin: number
  top: number
  bottom: number
  /** Where page numbers stand; a roll has no pages. */
  footer: number | null
  /** Letters are scaled by it, so that a line of 48 characters fits an 80 mm roll. */
  scale: number
  /** Widths of the columns: labels and amounts of lines; names and values of particulars. */
  label: number
  amount: number
  name: number
  value: number
  /** Particulars stand in two columns, or below each other. */
  pairColumns: 1 | 2
}

const ROLL_HEIGHT = 14_000

export const PAPER: Record<PaperName, Paper> = {
  a4: {
    width: 595,
    height: 842,
    margin: 48,
    top: 48,
    bottom: 778,
    footer: 796,
    scale: 1,
    label: 325,
    amount: 170,
    name: 80,
    value: 157,
    pairColumns: 2,
  },
  a5: {
    width: 420,
    height: 595,
    margin: 28,
    top: 36,
    bottom: 552,
    footer: 566,
    scale: 0.8,
    label: 236,
    amount: 124,
    name: 58,
    value: 116,
    pairColumns: 2,
  },
  '80mm': {
    width: 227,
    height: ROLL_HEIGHT,
    margin: 11,
    top: 36,
    bottom: ROLL_HEIGHT,
    footer: null,
    scale: 0.8,
    label: 125,
    amount: 76,
    name: 62,
    value: 139,
    pairColumns: 1,
  },
}

/** Cards of students, in two columns. It stands here so that who fills the pages need not load what draws them. */
export const CARDS_ON_A_PAGE = 10
