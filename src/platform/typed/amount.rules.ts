import { parseRupees, type Paise } from '../money.ts'
import { plainDigits } from '../names.ts'

/** ₹1,500, 1500.50, Rs. 500/-, also in digits of India's scripts; null for what is no amount. Programs use `parseRupees`. */
export function readTypedRupees(text: string): Paise | null {
  const plain = plainDigits(text)
    .trim()
    .replace(/^(₹|rs\.?|inr)\s*/i, '')
    .replace(/\/-$/, '')
    .trimEnd()
  // Commas only as group separators: "1,5" is not fifteen.
  const isGrouped = /^\d{1,3}(,\d{2,3})*(,\d{3})(\.\d{1,2})?$/.test(plain)
  return parseRupees(isGrouped ? plain.replaceAll(',', '') : plain)
}
