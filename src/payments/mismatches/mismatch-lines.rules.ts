import { minPaise, paiseOf, subtractPaise, type Paise } from '../../platform/money.ts'

type Line = { componentType: string; amountPaise: Paise }

/**
 * The lines of an order for the amount that came in the place of what it asks for. Of less, the earlier lines are paid first:
 * they stand in the order in which dues are paid. What is more stands on the last line, and the one who takes it in decides what
 * becomes of it.
 */
export function linesOfAmount(lines: readonly Line[], amountPaise: Paise): Line[] {
  let left = amountPaise
  const paid: Line[] = []
  for (const { componentType, amountPaise: asked } of lines) {
    const part = minPaise(asked, left)
    left = subtractPaise(left, part)
    if (part > 0) paid.push({ componentType, amountPaise: part })
  }
  const last = paid.at(-1)
  if (left > 0 && last !== undefined) last.amountPaise = paiseOf(last.amountPaise + left)
  return paid
}
