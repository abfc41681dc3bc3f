import type { RawRow } from '../../files/columns.rules.ts'

/** What the columns of a school's own list are, by position; null: left out. */
export type RosterColumns = {
  names: (string | null)[]
  /** As the file heads them: the next file with the same ones is matched in the same way. */
  titles: string[]
  /** For all rows, such as the academic year. */
  defaults: RawRow
}

export const ROSTER_FILE_BYTES = 10_000_000
export const ROSTER_STATES = [
  'checking',
  'checked',
  'running',
  'done',
  'failed',
  'cancelled',
  'stopped',
] as const

/** What a column may be, beside a fee. */
export const ROSTER_FIELDS = [
  'identifier',
  'fullname',
  'grade',
  'section',
  'primary_contact_number',
  'father_name',
  'mother_name',
  'guardian_name',
  'primary_contact_email',
  'date_of_birth',
  'custom_identifier',
  'category',
  'house',
  'new_admission',
  'registration_id',
  'collector_code',
] as const
export type RosterField = (typeof ROSTER_FIELDS)[number]

const FEE = 'fee:'

/** The fee that a column holds amounts of. */
export function feeCodeOf(column: string): string | null {
  return column.startsWith(FEE) ? column.slice(FEE.length) : null
}

/** As schools head their columns, letters and digits only; tried in this order. */
const TITLES: readonly (readonly [RosterField, RegExp])[] = [
  ['date_of_birth', /^(dob|dateofbirth|birth(date|day)|bornon)$/],
  ['primary_contact_email', /e?mail/],
  ['primary_contact_number', /(mobile|^mob(no|number)?$|phone|whatsapp|^tel|contact(no|number)?$|^cell)/],
  ['registration_id', /^(registrationid|userid|parentid|familyid)$/],
  [
    'identifier',
    /^(adm|admission|admissionno|enrol|scholar|identifier|studentid|grno|regno|registrationno|uid)/,
  ],
  ['custom_identifier', /^(roll|customidentifier)/],
  ['section', /^(sec|section|div|division)$/],
  ['grade', /^(class|grade|std|standard|classname|gradename)$/],
  [
    'father_name',
    /^(father|fatherguardian|fatherorguardian|fathername|nameoffather|fathersname|parent|parentname|parentsname|primarycontactname)$/,
  ],
  ['mother_name', /^(mother|mothername|nameofmother|mothersname)$/],
  ['guardian_name', /^(guardian|guardianname|guardiansname)$/],
  ['category', /^(category|studentcategory|quota)$/],
  ['house', /^(house|housename)$/],
  ['new_admission', /^(newadmission|isnew|newstudent|new)$/],
  ['collector_code', /^(branch|branchcode|campus|collectorcode)$/],
  [
    'fullname',
    /^(name|fullname|student|studentname|nameofstudent|nameofthestudent|pupil|pupilname|childname|studentsname)$/,
  ],
]

/** What stands for sums of fees is not a fee. */
const NOT_A_FEE = /(paid|balance|due|total|concession|discount|receipt|remark|date|mode|status)/
const A_FEE = /(fee|fees|tuition|transport|charge|hostel|bus)/

/**
 * What the columns of a file probably are, each field once; a person looks at it before anything is read by it.
 * Headings of fees are matched with the fees that the school has.
 */
export function guessColumns(
  titles: readonly string[],
  fees: readonly { code: string; name: string }[],
): (string | null)[] {
  const taken = new Set<string>()
  return titles.map(title => {
    const guess = guessColumn(title, fees)
    if (guess === null || taken.has(guess)) return null
    taken.add(guess)
    return guess
  })
}

function guessColumn(title: string, fees: readonly { code: string; name: string }[]): string | null {
  const plain = lettersOf(title)
  if (plain === '') return null
  const known = fees.find(({ code, name }) => lettersOf(code) === plain || lettersOf(name) === plain)
  if (known !== undefined) return FEE + known.code
  const field = TITLES.find(([, pattern]) => pattern.test(plain))?.[0]
  if (field !== undefined) return field
  return A_FEE.test(plain) && !NOT_A_FEE.test(plain) ? FEE + feeCodeFor(title) : null
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

const LONGEST_CODE = 64

/** "Tuition Fee (₹)" is TUITION_FEE. */
function feeCodeFor(title: string): string {
  const code = title
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
  return Array.from(code).slice(0, LONGEST_CODE).join('')
}
