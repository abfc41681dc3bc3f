import type { Paise } from './money.ts'

const CRORE = 10_000_000
const SCALES = [
  { name: 'Lakh', size: 100_000 },
  { name: 'Thousand', size: 1_000 },
  { name: 'Hundred', size: 100 },
]
const TENS = 'Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split(' ')
const SMALL =
  'Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen'.split(
    ' ',
  )

/** An amount as it is written on a receipt or a cheque: Rupees One Lakh Twenty and Paise Fifty Only. */
export function rupeesInWords(amount: Paise): string {
  const rupees = Math.floor(Math.abs(amount) / 100)
  const paise = Math.abs(amount) % 100
  const parts: string[] = []
  if (rupees > 0 || paise === 0) parts.push(`Rupees ${numberInWords(rupees)}`)
  if (paise > 0) parts.push(`Paise ${numberInWords(paise)}`)
  return `${amount < 0 ? 'Minus ' : ''}${parts.join(' and ')} Only`
}

/** Crores are counted like any number, so that there is no end to them: One Lakh Crore, Two Crore Crore. */
function numberInWords(value: number): string {
  if (value >= CRORE) {
    return joined(`${numberInWords(Math.floor(value / CRORE))} Crore`, value % CRORE)
  }
  const scale = SCALES.find(({ size }) => value >= size)
  if (scale !== undefined) {
    return joined(`${numberInWords(Math.floor(value / scale.size))} ${scale.name}`, value % scale.size)
  }
  return value < 20 ? (SMALL[value] ?? '') : joined(TENS[Math.floor(value / 10) - 2] ?? '', value % 10)
}

function joined(head: string, rest: number): string {
  return rest === 0 ? head : `${head} ${numberInWords(rest)}`
}
