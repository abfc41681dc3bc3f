import type { FieldProblem } from '../../platform/errors.ts'

/** Where families can transfer fees to, as the school wants it shown. */
export type BankAccount = { holder: string; number: string; ifsc: string; bank: string; upiId: string | null }

/** What a family gets that pays for several children at the counter: one paper for all, or each receipt by itself. */
export const FAMILY_RECEIPTS = ['together', 'each'] as const
export type FamilyReceipt = (typeof FAMILY_RECEIPTS)[number]

/** What a school says of itself on pages, mails and receipts. */
export type School = {
  name: string
  address: string | null
  phone: string | null
  email: string | null
  pan: string | null
  affiliation: string | null
  /** A line of its own on receipts. */
  receiptNote: string | null
  familyReceipt: FamilyReceipt
  bankAccounts: readonly BankAccount[]
  /** Hours of India's clock between which reminders leave. */
  messagesFrom: number
  messagesUntil: number
  color: string | null
  logoTag: string | null
}

export type SchoolChange = Omit<School, 'logoTag'>

/** Reminders may not reach people outside of these hours, whatever a school chooses. */
export const EARLIEST_HOUR = 9
export const LATEST_HOUR = 20

const PAN = /^[A-Z]{5}\d{4}[A-Z]$/
const IFSC = /^[A-Z]{4}0[A-Z\d]{6}$/
const ACCOUNT_NUMBER = /^\d{6,18}$/
const UPI_ID = /^[\w.-]{2,64}@[A-Za-z]{2,32}$/
const COLOR = /^#[0-9a-f]{6}$/
/** WCAG 2.2 calls text with this contrast readable for most people. */
const LEAST_CONTRAST = 4.5

const bare = (text: string): string => text.replaceAll(/[\s-]/g, '')

/** Brings details into one form, because people type numbers in groups and codes in small letters. */
export function plainDetails(school: SchoolChange): SchoolChange {
  return {
    ...school,
    pan: school.pan === null ? null : bare(school.pan).toUpperCase(),
    color: school.color?.toLowerCase() ?? null,
    bankAccounts: school.bankAccounts.map(({ number, ifsc, upiId, ...account }) => ({
      ...account,
      number: bare(number),
      ifsc: bare(ifsc).toUpperCase(),
      upiId: upiId?.replaceAll(/\s/g, '') ?? null,
    })),
  }
}

export function schoolProblems(school: SchoolChange): FieldProblem[] {
  const { pan, color, messagesFrom, messagesUntil, bankAccounts } = school
  const checks: (FieldProblem & { isWrong: boolean })[] = [
    {
      key: 'pan',
      message: 'must be five letters, four digits and a letter',
      isWrong: pan !== null && !PAN.test(pan),
    },
    {
      key: 'color',
      message: 'must be # and six digits from 0 to f',
      isWrong: color !== null && !COLOR.test(color),
    },
    {
      key: 'color',
      message: 'is too light: white text on it could not be read',
      isWrong: color !== null && COLOR.test(color) && contrastWithWhite(color) < LEAST_CONTRAST,
    },
    { key: 'messages_until', message: 'must be after messages_from', isWrong: messagesUntil <= messagesFrom },
    ...bankAccounts.flatMap(({ number, ifsc, upiId }, index) => [
      {
        key: `bank_accounts.${index}.number`,
        message: 'must be 6 to 18 digits',
        isWrong: !ACCOUNT_NUMBER.test(number),
      },
      {
        key: `bank_accounts.${index}.ifsc`,
        message: 'must be four letters, 0 and six letters or digits',
        isWrong: !IFSC.test(ifsc),
      },
      {
        key: `bank_accounts.${index}.upi_id`,
        message: 'must look like school@bank',
        isWrong: upiId !== null && !UPI_ID.test(upiId),
      },
    ]),
  ]
  return checks.filter(({ isWrong }) => isWrong).map(({ key, message }) => ({ key, message }))
}

/** Contrast ratio from 1 to 21, as WCAG defines it. */
export function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}

export type Logo = { mediaType: string; content: Buffer }
/** The console makes one of any picture that the browser can open. SVG is not drawn: it can hold scripts. */
/** Sides of the squares that phones show on their home screens, in pixels. */
export const ICON_SIDES = [192, 512] as const
export type IconSide = (typeof ICON_SIDES)[number]

export const LOGO_TYPE = 'image/png'
