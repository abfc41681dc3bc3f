import { minPaise, paiseOf, subtractPaise, ZERO, type Paise } from '../../platform/money.ts'

type Amount = { componentType: string; amountPaise: Paise }

/** A part of what was paid too much for one fee, which pays another. */
export type Move = { fromComponent: string; toComponent: string; amountPaise: Paise }

/** What was paid of each component beyond its price. */
export function advancesOf(prices: readonly Amount[], paid: ReadonlyMap<string, Paise>): Amount[] {
  const priceOf = new Map(prices.map(price => [price.componentType, price.amountPaise]))
  return [...paid].flatMap(([componentType, amount]) => {
    const beyond = amount - (priceOf.get(componentType) ?? ZERO)
    return beyond > 0 ? [{ componentType, amountPaise: paiseOf(beyond) }] : []
  })
}

/** Fills what is to be paid in turn from the advances in turn, as far as they reach. */
export function moveAdvances(advances: readonly Amount[], wanted: readonly Amount[]): Move[] {
  const moves: Move[] = []
  const left = advances.map(advance => ({ ...advance }))
  for (const { componentType: toComponent, amountPaise } of wanted) {
    let open = amountPaise
    for (const advance of left) {
      const part = minPaise(open, advance.amountPaise)
      if (part === 0 || advance.componentType === toComponent) continue
      moves.push({ fromComponent: advance.componentType, toComponent, amountPaise: part })
      open = subtractPaise(open, part)
      advance.amountPaise = subtractPaise(advance.amountPaise, part)
    }
  }
  return moves
}
