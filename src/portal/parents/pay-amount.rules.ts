import { minPaise, parseRupees, type Paise } from '../../platform/money.ts'

/** Reads the amount of a part payment as the parent typed it. */
export type PayProblem = 'amount' | 'tooMuch' | 'tooLittle' | 'whole' | 'nothingDue' | 'changed'

export type AmountDecision = { kind: 'pay'; amountPaise: Paise } | { kind: 'problem'; problem: PayProblem }

const DEVANAGARI_ZERO = 0x966

/** Accepts ₹1,500, 1500.50, spaces and a trailing /-. */
export function readAmount(text: string): Paise | null {
  const plain = text
    .trim()
    .replaceAll(/[०-९]/g, digit => String(digit.charCodeAt(0) - DEVANAGARI_ZERO))
    .replace(/^(₹|rs\.?|inr)\s*/i, '')
    .replace(/\/-$/, '')
    .trimEnd()
  // Commas only as group separators: "1,5" is not fifteen.
  const isGrouped = /^\d{1,3}(,\d{2,3})*(,\d{3})(\.\d{1,2})?$/.test(plain)
  return parseRupees(isGrouped ? plain.replaceAll(',', '') : plain)
}

export function decideAmount(
  text: string,
  due: { totalPaise: Paise; partPayment: { isAllowed: boolean; leastPaise: Paise } },
): AmountDecision {
  const { totalPaise, partPayment } = due
  const amountPaise = readAmount(text)
  if (totalPaise === 0) return problem('nothingDue')
  if (amountPaise === null || amountPaise === 0) return problem('amount')
  if (amountPaise > totalPaise) return problem('tooMuch')
  if (amountPaise < totalPaise && !partPayment.isAllowed) return problem('whole')
  if (amountPaise < minPaise(partPayment.leastPaise, totalPaise)) return problem('tooLittle')
  return { kind: 'pay', amountPaise }
}

function problem(kind: PayProblem): AmountDecision {
  return { kind: 'problem', problem: kind }
}
