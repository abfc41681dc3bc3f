import { badField, type FieldProblem } from '../../platform/errors.ts'

/** Where families can transfer fees to, as the school wants it shown. */
export type BankAccount = { holder: string; number: string; ifsc: string; bank: string; upiId: string | null }

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
/** Of text that is readable for most people, as WCAG 2.2 has it. */
const LEAST_CONTRAST = 4.5

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

/** From 1 to 21, as WCAG defines it. */
export function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}

export type Logo = { mediaType: LogoType; content: Buffer }
export const LOGO_TYPES = ['image/png', 'image/jpeg'] as const
type LogoType = (typeof LOGO_TYPES)[number]
const MAX_LOGO_PIXELS = 2_000

/** What the picture is, by its own bytes. SVG is refused: it can hold scripts, and receipts cannot print it. */
export function readLogo(content: Buffer): Logo {
  const size = pngSize(content) ?? jpegSize(content)
  if (size === null) throw badField('file', 'must be a PNG or JPEG picture')
  if (!isWhole(size.mediaType, content))
    throw badField('file', 'is cut off: its end is missing. Save the picture again, or copy it once more')
  if (size.width > MAX_LOGO_PIXELS || size.height > MAX_LOGO_PIXELS || size.width * size.height === 0)
    throw badField('file', `must be at most ${MAX_LOGO_PIXELS} pixels wide and high`)
  return { mediaType: size.mediaType, content }
}

type Size = { mediaType: LogoType; width: number; height: number }

const PNG_HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

function pngSize(content: Buffer): Size | null {
  if (content.length < 33 || !content.subarray(0, 16).equals(PNG_HEAD)) return null
  return { mediaType: 'image/png', width: content.readUInt32BE(16), height: content.readUInt32BE(20) }
}

/** Up to the mark that ends a picture of its kind. A part of one would be drawn in part, or break a receipt. */
function isWhole(mediaType: LogoType, content: Buffer): boolean {
  return mediaType === 'image/png' ? hasPngEnd(content) : content.lastIndexOf(JPEG_END) > 2
}

const JPEG_END = Buffer.from('ffd9', 'hex')
/** Of a chunk: its length and name before it, a checksum after it. */
const AROUND_CHUNK = 12

function hasPngEnd(content: Buffer): boolean {
  let [at, hasPixels] = [8, false]
  while (at + AROUND_CHUNK <= content.length) {
    const name = content.toString('latin1', at + 4, at + 8)
    const next = at + AROUND_CHUNK + content.readUInt32BE(at)
    if (name === 'IEND') return hasPixels && next <= content.length
    hasPixels ||= name === 'IDAT'
    at = next
  }
  return false
}

/** From segment to segment until the frame, which holds the size. */
function jpegSize(content: Buffer): Size | null {
  if (content.length < 4 || content.readUInt16BE(0) !== 0xff_d8) return null
  let at = 2
  while (at + 9 <= content.length && content[at] === 0xff) {
    const marker = content.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) {
      return {
        mediaType: 'image/jpeg',
        height: content.readUInt16BE(at + 5),
        width: content.readUInt16BE(at + 7),
      }
    }
    at += 2 + Math.max(2, content.readUInt16BE(at + 2))
  }
  return null
}
