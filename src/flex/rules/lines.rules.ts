import {
  paiseOf,
  splitInProportion,
  subtractPaise,
  sumPaise,
  ZERO,
  type Paise,
} from '../../platform/money.ts'

/** What a student owes, or an instalment takes, of one fee component. */
export type Line = { componentType: string; amountPaise: Paise }

export function sumLines(lines: readonly Line[]): Paise {
  return sumPaise(lines.map(line => line.amountPaise))
}

/** Sums lines by component. */
export function totalsOf(lines: readonly Line[]): Map<string, Paise> {
  const totals = new Map<string, Paise>()
  for (const { componentType, amountPaise } of lines)
    totals.set(componentType, paiseOf((totals.get(componentType) ?? ZERO) + amountPaise))
  return totals
}

/** A component of which nothing is taken is no line: an order has none of them. */
export function linesFrom(totals: Iterable<readonly [string, Paise]>): Line[] {
  return [...totals]
    .filter(([, amountPaise]) => amountPaise > 0)
    .map(([componentType, amountPaise]) => ({ componentType, amountPaise }))
}

export function isSameMoney(one: readonly Line[], other: readonly Line[]): boolean {
  const before = linesFrom(totalsOf(one))
  const after = totalsOf(other)
  return (
    before.length === linesFrom(after).length &&
    before.every(line => after.get(line.componentType) === line.amountPaise)
  )
}

/** Splits lines at a limit: the part under it, in proportion to each, and the rest. */
export function splitAt(lines: readonly Line[], most: Paise): { taken: Line[]; rest: Line[] } {
  if (sumLines(lines) <= most) return { taken: [...lines], rest: [] }
  const parts = splitInProportion(
    most,
    lines.map(line => line.amountPaise),
  )
  const part = (index: number): Paise => parts[index] ?? ZERO
  return {
    taken: linesFrom(lines.map(({ componentType }, index) => [componentType, part(index)])),
    rest: linesFrom(
      lines.map(({ componentType, amountPaise }, index) => [
        componentType,
        subtractPaise(amountPaise, part(index)),
      ]),
    ),
  }
}

/** What is left of some lines when others are taken off them. */
export function withoutLines(lines: readonly Line[], taken: readonly Line[]): Line[] {
  const less = totalsOf(taken)
  return linesFrom(
    [...totalsOf(lines)].map(([type, amount]): [string, Paise] => {
      return [type, paiseOf(Math.max(amount - (less.get(type) ?? ZERO), 0))]
    }),
  )
}

export function addLines(lines: readonly Line[], more: readonly Line[]): Line[] {
  return linesFrom(totalsOf([...lines, ...more]))
}
