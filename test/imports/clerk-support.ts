import writeExcelFile from 'write-excel-file/node'

/**
 * A list of 480 children as a clerk sends it: everything that offices write differently stands in it, and some faults
 * that nobody but the office can mend. `FAULTS` says how many rows of each fault it has.
 */
const FIRST = [
  'Aarav',
  'Diya',
  'Kabir',
  'Meera',
  'Rohan',
  'Sana',
  'आरव',
  'Tara',
  'Vivaan',
  'दिया',
  'Ishaan',
  'Nila',
]
const FAMILY = ['Rao', 'Nair', 'Khan', 'Patel', 'शर्मा', 'Iyer', 'Singh', 'Bose', 'Menon', 'Gill']
export const CLASSES = ['LKG', 'UKG', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10']
const ROMAN = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const IN_CLASS = 40
export const CHILDREN = CLASSES.length * IN_CLASS

export type Child = {
  identifier: string
  name: string
  grade: string
  section: string
  born: string
  mobile: string
}

export const children: readonly Child[] = Array.from({ length: CHILDREN }, (_, index) => {
  const born = new Date(Date.UTC(2010 + (index % 9), (index * 5) % 12, 1 + ((index * 11) % 28)))
  return {
    identifier: `SVM/${String(2001 + index)}`,
    name: `${FIRST[index % FIRST.length]} ${FAMILY[(index * 3) % FAMILY.length]}`,
    grade: CLASSES[Math.floor(index / IN_CLASS)] ?? '',
    section: index % IN_CLASS < IN_CLASS / 2 ? 'A' : 'B',
    born: born.toISOString().slice(0, 10),
    // Two brothers or sisters side by side.
    mobile: String(9_845_010_000 + Math.floor(index / 2)),
  }
})

export const FAULTS = {
  noClass: 5,
  noDay: 7,
  impossible: 3,
  shortPhone: 4,
  noPhone: 3,
  noNumber: 2,
  noAmount: 2,
  numberTwice: 2,
  rowTwice: 6,
}

type Row = { [Key in (typeof KEYS)[number]]: string }
const KEYS = [
  'no',
  'adm',
  'name',
  'class',
  'section',
  'dob',
  'father',
  'mobile',
  'mother',
  'other',
  'tuition',
  'bus',
  'remarks',
] as const

/** The class and section as somebody of this office would write them. */
function classText({ grade, section }: Child, index: number): string {
  const number = Number(grade)
  if (Number.isNaN(number)) {
    const dots = `${grade.split('').join('.')}.`
    return (
      [`${grade} ${section}`, `${dots} - ${section}`, `${grade}-${section} `, `Class ${grade} (${section})`][
        index % 4
      ] ?? ''
    )
  }
  const roman = ROMAN[number - 1] ?? ''
  const th = `${number}${['th', 'st', 'nd', 'rd'][number < 4 ? number : 0]}`
  return (
    [
      `${roman}-${section}`,
      `${roman} - ${section.toLowerCase()} `,
      `${number}${section}`,
      `Std. ${roman} ${section}`,
      `${th} ${section}`,
      `CLASS ${number} Sec ${section}`,
      `${roman}/${section}`,
    ][index % 7] ?? ''
  )
}

const serial = (day: string): number => (Date.parse(day) - Date.UTC(1899, 11, 30)) / 86_400_000

function dayText(day: string, index: number): string {
  const [year = '', month = '', date = ''] = day.split('-')
  return (
    [
      `${Number(date)}-${MONTHS[Number(month) - 1]}-${year.slice(2)}`,
      `${date}/${month}/${year}`,
      String(serial(day)),
    ][index % 3] ?? ''
  )
}

function mobileText(mobile: string, index: number): string {
  const [left, right] = [mobile.slice(0, 5), mobile.slice(5)]
  return (
    [
      mobile,
      `+91 ${left} ${right}`,
      `${mobile} / 9880000${String(index).padStart(3, '0')}`,
      `0${left}-${right}`,
      `91${mobile}`,
      `${left} ${right}, 080-26543210`,
      `+91-${mobile}`,
    ][index % 7] ?? ''
  )
}

const AMOUNTS = ['Rs. 24,000/-', '24000', '₹ 24,000', '24,000.00', 'Rs 24000/-', '24,000']
const BUS = ['-', '6,000/-', '', 'Nil', 'Rs.6000', 'NA']
const TITLES = ['', 'Master ', '', 'KUM. ', '']
const PAUSES = ['', ' ', '\u00A0', '', '  ']

function rowOf(child: Child, index: number): Row {
  const name = `${TITLES[index % 5]}${index % 4 === 0 ? child.name.replace(' ', '  ') : child.name}${PAUSES[index % 5]}`
  return {
    no: String(index + 1),
    adm: child.identifier + (PAUSES[index % 3] ?? ''),
    name,
    class: classText(child, index),
    section: '',
    dob: dayText(child.born, index),
    father: `${['Mr. ', 'Sri ', '', 'Dr. '][index % 4]}${child.name.split(' ')[1]}`,
    mobile: index % 60 === 17 ? '' : mobileText(child.mobile, index),
    mother: index % 9 === 0 ? '-' : `Smt. ${FIRST[(index * 7) % FIRST.length]}`,
    other: index % 60 === 17 ? child.mobile : index % 8 === 0 ? 'N.A.' : `98860${String(10_000 + index)}`,
    tuition: AMOUNTS[index % AMOUNTS.length] ?? '',
    bus: BUS[index % BUS.length] ?? '',
    remarks: index % 50 === 0 ? 'RTE' : '',
  }
}

/** Rows in the order of the file, faults and doubles included. */
export function clerkRows(): Row[] {
  const rows = children.map(rowOf)
  const change = (from: number, count: number, one: (row: Row) => Partial<Row>): void => {
    for (let index = from; index < from + count; index++)
      Object.assign(rows[index] ?? {}, one(rows[index] as Row))
  }
  change(3, FAULTS.noClass, () => ({ class: 'Prep' }))
  change(60, FAULTS.noDay, () => ({ dob: 'will bring' }))
  change(100, FAULTS.impossible, () => ({ dob: '31/02/2015' }))
  change(140, FAULTS.shortPhone, () => ({ mobile: '98450' }))
  change(180, FAULTS.noPhone, () => ({ mobile: '', other: '' }))
  change(220, FAULTS.noNumber, () => ({ adm: '' }))
  change(260, FAULTS.noAmount, () => ({ tuition: 'half' }))
  change(300, FAULTS.numberTwice, row => ({ adm: `SVM/${2001 + Number(row.no) - 11}` }))
  const twice = rows.slice(400, 400 + FAULTS.rowTwice)
  return [...rows, ...twice]
}

export const UPPER = [
  'Sl. No.',
  'Adm. No.',
  'Name of the Student',
  'Class & Sec',
  'D.O.B. (DD/MM/YYYY)',
  'Father',
  '',
  'Mother',
  '',
  'Fees 2026-27 (Rs.)',
  '',
  'Remarks',
]
export const LOWER = ['', '', '', '', '', 'Name', 'Mobile No.', 'Name', 'Mobile No.', 'Tuition', 'Bus', '']

const line = (row: Row): string[] => [
  row.no,
  row.adm,
  row.name,
  row.class,
  row.dob,
  row.father,
  row.mobile,
  row.mother,
  row.other,
  row.tuition,
  row.bus,
  row.remarks,
]

/** Everything in texts: two rows of headings and numbers below them, totals, blank lines, headings that come again. */
function clerkLines(): string[][] {
  const lines: string[][] = [
    ['SRI SARASWATI VIDYA MANDIR, MYSURU; Affiliated to CBSE (830999)'],
    ['', '', 'LIST OF STUDENTS 2026-27', '', '', '', '', '', '', 'As on 01/04/2026'],
    [],
    UPPER,
    LOWER,
    UPPER.map((_, index) => `(${index + 1})`),
  ]
  for (const [index, row] of clerkRows().entries()) {
    lines.push(line(row))
    if (index % IN_CLASS !== IN_CLASS - 1) continue
    lines.push([
      '',
      '',
      `Total of class ${CLASSES[Math.floor(index / IN_CLASS)]}`,
      String(IN_CLASS),
      '',
      '',
      '',
      '',
      '',
      '9,60,000',
      '',
    ])
    lines.push([])
    if (index % 120 === 119) lines.push(UPPER, LOWER)
  }
  return [
    ...lines,
    [],
    ['', '', 'GRAND TOTAL', '480', '', '', '', '', '', 'Rs. 1,15,20,000/-'],
    ['Prepared by: Smt. Lakshmi', '', '', '', '', '', '', '', 'Principal'],
  ]
}

const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export function clerkCsv(): string {
  return clerkLines()
    .map(cells => cells.map(cell).join(','))
    .join('\r\n')
}

/** Without the column of classes. */
const own = (texts: readonly string[]): string[] => texts.filter((_, index) => index !== 3)

/** The same children in a spreadsheet: one merged line above each class and section, real dates beside written ones. */
export async function clerkXlsx(): Promise<Buffer> {
  const width = UPPER.length - 1
  const wide = (value: string) => [{ value, columnSpan: width }]
  const table: object[][] = [
    wide('SRI SARASWATI VIDYA MANDIR, MYSURU'),
    wide('LIST OF STUDENTS 2026-27'),
    [],
    own(UPPER).map(value => ({ value })),
    own(LOWER).map(value => ({ value })),
  ]
  let last = ''
  for (const [index, row] of clerkRows().entries()) {
    const child = children[Number(row.no) - 1] as Child
    const place = `${child.grade} ${child.section}`
    if (place !== last && index < CHILDREN) {
      const number = Number(child.grade)
      const written = Number.isNaN(number) ? child.grade : (ROMAN[number - 1] ?? '')
      table.push([])
      table.push(wide(`CLASS : ${written}   SEC : ${child.section}   (Class teacher: Smt. Radha)`))
      last = place
    }
    const cells: object[] = own(line(row)).map(value => ({ value }))
    if (/^\d{5}$/.test(row.dob)) cells[3] = { type: Date, value: new Date(child.born), format: 'dd/mm/yyyy' }
    if (/^\d{10}$/.test(row.mobile)) cells[5] = { type: Number, value: Number(row.mobile) }
    if (/^\d+$/.test(row.tuition)) cells[8] = { type: Number, value: Number(row.tuition) }
    table.push(cells)
  }
  table.push([], [{ value: '' }, { value: 'Grand Total' }, { type: Number, value: 480 }])
  return writeExcelFile(table as never).toBuffer()
}
