import { workbook, zip } from './files/xlsx-support.ts'

/** A list as an office keeps it: the school's name above, two rows of headings, classes in merged cells. */
export const MOST = 480
const NAMES = ['Aarav', 'Diya', 'Kabir', 'Meera', 'Rohan', 'Sana', 'Tara', 'Vivaan']
const FAMILIES = ['Rao', 'Nair', 'Khan', 'Patel', 'Das', 'Iyer', 'Singh', 'Bose', 'Menon', 'Gill']
const GRADES = ['1', '2', '3', '4', '5', '6', '7', '8']
export const UPPER = ['Adm No', 'Student', '', 'Date of Birth', 'Father', '', 'Fees', '', 'Remarks']
export const LOWER = ['', 'Name', 'Class', '', 'Name', 'Mobile', 'Tuition', 'Bus', '']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export type MessyChild = { identifier: string; name: string; grade: string; born: string; mobile: string }

export const CHILDREN: readonly MessyChild[] = Array.from({ length: MOST }, (_, index) => {
  const born = new Date(Date.UTC(2010 + (index % 9), index % 12, 1 + (index % 28))).toISOString()
  return {
    identifier: `SM/${1001 + index}`,
    name: `${NAMES[index % 8]} ${FAMILIES[index % 10]}`,
    grade: GRADES[Math.floor(index / 60)] ?? '',
    born: born.slice(0, 10),
    mobile: String(9_800_000_000 + Math.floor(index / 2)),
  }
})

/** One way in which a column may write all of its days. */
export const DAY_WAYS: Readonly<Record<string, (day: string) => string>> = {
  '27-Feb-16': day => `${date(day)}-${MONTHS[month(day) - 1]}-${day.slice(2, 4)}`,
  '27/02/2016': day => `${date(day)}/${day.slice(5, 7)}/${day.slice(0, 4)}`,
  '2/27/2016': day => `${month(day)}/${date(day)}/${day.slice(0, 4)}`,
  '2016.27.2': day => `${day.slice(0, 4)}.${date(day)}.${month(day)}`,
  '2016-02-27': day => day,
  'February 27, 2016': day => `${MONTHS[month(day) - 1]} ${date(day)}, ${day.slice(0, 4)}`,
  '42427': day => String((Date.parse(day) - Date.UTC(1899, 11, 30)) / 86_400_000),
}

type OpenWay = { text: (day: string) => string; said: 'dmy' | 'mdy' }

/** Ways to write days in numbers alone, and what somebody who knows would answer when asked about them. */
export const OPEN_WAYS: Readonly<Record<string, OpenWay>> = {
  '01/02/2016': { text: inNumbers('dmy', '/'), said: 'dmy' },
  '1.2.16': { text: day => inNumbers('dmy', '.')(day).replace(/\d\d(\d\d)$/, '$1'), said: 'dmy' },
  '01 02 2016': { text: inNumbers('dmy', ' '), said: 'dmy' },
  '01022016': { text: inNumbers('dmy', ''), said: 'dmy' },
  '०१-०२-२०१६': {
    text: day => inNumbers('dmy', '-')(day).replaceAll(/\d/g, digit => '०१२३४५६७८९'.charAt(Number(digit))),
    said: 'dmy',
  },
  '02/01/2016 in American': { text: inNumbers('mdy', '/'), said: 'mdy' },
  '02012016 in American': { text: inNumbers('mdy', ''), said: 'mdy' },
  '2016/02/01': { text: inNumbers('ymd', '/'), said: 'mdy' },
  '2016.01.02': { text: inNumbers('ydm', '.'), said: 'dmy' },
}

function inNumbers(order: string, gap: string): (day: string) => string {
  return day => {
    const parts: Record<string, string> = { y: day.slice(0, 4), m: day.slice(5, 7), d: day.slice(8) }
    return Array.from(order, part => parts[part]).join(gap)
  }
}

const date = (day: string): number => Number(day.slice(8))
const month = (day: string): number => Number(day.slice(5, 7))

const rowOf = (child: MessyChild, write: (day: string) => string): string[] => [
  child.identifier,
  child.name,
  child.grade,
  write(child.born).replace(/^.*,.*$/, '"$&"'),
  `Mr ${child.name.split(' ')[1]}`,
  child.mobile,
  '"24,000"',
  '6000',
  '',
]

/** As it is saved for us: the merged cells have their text in the first column only. */
export function messyCsv(write: (day: string) => string, children = CHILDREN): string {
  return [
    'ST. MARY’S SCHOOL,,,,,,,,',
    'List of students 2026-27,,,,,,,Printed: 02/03/2026,',
    '',
    UPPER.join(','),
    LOWER.join(','),
    ...children.map(child => rowOf(child, write).join(',')),
  ].join('\r\n')
}

/** The same as a spreadsheet, with each class in one cell merged over its children. */
export function messyXlsx(children = CHILDREN): Uint8Array<ArrayBuffer> {
  const table = [
    ['ST. MARY’S SCHOOL'],
    ['List of students 2026-27'],
    UPPER,
    LOWER,
    ...children.map((child, index) => {
      const row = rowOf(child, day => day).map(text => text.replaceAll('"', ''))
      return children[index - 1]?.grade === child.grade ? row.with(2, '') : row
    }),
  ]
  const first = 5
  const merges = Map.groupBy(children.keys(), index => children[index]?.grade)
  const ranges = [...merges.values()].map(all => `C${first + (all[0] ?? 0)}:C${first + (all.at(-1) ?? 0)}`)
  const sheet = table.map(
    (cells, index) => `<row r="${index + 1}">${cells.map(cellOf(index)).join('')}</row>`,
  )
  const parts = workbook(sheet.join(''))
  const path = 'xl/worksheets/first.xml'
  const merged = ['A1:I1', 'B3:C3', 'E3:F3', 'G3:H3', ...ranges].map(ref => `<mergeCell ref="${ref}"/>`)
  const whole = (parts[path] ?? '').replace(
    '</sheetData>',
    `</sheetData><mergeCells count="${merged.length}">${merged.join('')}</mergeCells>`,
  )
  return new Uint8Array(zip({ ...parts, [path]: whole }))
}

const cellOf =
  (row: number) =>
  (text: string, column: number): string => {
    const place = `${String.fromCharCode(65 + column)}${row + 1}`
    if (text === '') return `<c r="${place}"/>`
    const days = (Date.parse(text) - Date.UTC(1899, 11, 30)) / 86_400_000
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return `<c r="${place}"><v>${days}</v></c>`
    return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`
  }
