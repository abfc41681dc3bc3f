import { minPaise, paiseOf, subtractPaise, ZERO, sumPaise, type Paise } from '../../platform/money.ts'

export type ComponentAmount = { componentType: string; amountPaise: Paise }

/** A part of what was paid too much for one fee, which pays another. */
export type AdvanceMove = { fromComponent: string; toComponent: string; amountPaise: Paise }

/** What was paid of each component beyond its price. */
export function advancesOf(
  prices: readonly ComponentAmount[],
  paid: ReadonlyMap<string, Paise>,
): ComponentAmount[] {
  const priceOf = new Map(prices.map(price => [price.componentType, price.amountPaise]))
  return [...paid].flatMap(([componentType, amount]) => {
    const beyond = amount - (priceOf.get(componentType) ?? ZERO)
    return beyond > 0 ? [{ componentType, amountPaise: paiseOf(beyond) }] : []
  })
}

/** Fills what is to be paid in turn from the advances in turn, as far as they reach. */
export function moveAdvances(
  advances: readonly ComponentAmount[],
  wanted: readonly ComponentAmount[],
): AdvanceMove[] {
  const moves: AdvanceMove[] = []
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

/** An amount of one component. */

/** An advance of one component that was used for another of the same record. */
export type UsedAdvance = { fromComponent: string; toComponent: string; amountPaise: Paise }

/** An advance of one component that was carried to a later record, where it stands as `gainedAs`. */
export type CarriedOut = ComponentAmount & {
  otherStudentId: string
  gainedAs: string
  rolloverId: string | null
}

export type Advances = {
  /** What is paid of each component beyond its price; below 0 it is owed. */
  surpluses: readonly ComponentAmount[]
  carried: readonly CarriedOut[]
  /** Carried amounts that came back since. */
  takenBack: readonly CarriedOut[]
  used: readonly UsedAdvance[]
}

export type TakenBack = { carried: CarriedOut[]; used: UsedAdvance[] }

/**
 * Money of a record went away after its advance had been carried to the next year, or had paid another fee. As much of
 * the advance as is now missing comes back, and no more than went away: what was carried first, since that was last, then
 * what was used. A fee that loses what paid it may itself have given an advance away, so this goes on until nothing more
 * can come.
 */
export function takeBack(
  { surpluses, carried, used }: Advances,
  gone: readonly ComponentAmount[],
): TakenBack {
  const held = amountsOf(surpluses)
  const left = amountsOf(gone)
  const taken: TakenBack = { carried: [], used: [] }
  const out = carried.map(one => ({ ...one }))
  const moved = used.map(one => ({ ...one }))
  const take = <From extends { amountPaise: Paise }>(componentType: string, from: From): From | null => {
    const missing = subtractPaise(ZERO, held.get(componentType) ?? ZERO)
    const amountPaise = minPaise(minPaise(missing, left.get(componentType) ?? ZERO), from.amountPaise)
    if (amountPaise <= 0) return null
    from.amountPaise = subtractPaise(from.amountPaise, amountPaise)
    add(held, componentType, amountPaise)
    add(left, componentType, subtractPaise(ZERO, amountPaise))
    return { ...from, amountPaise }
  }
  for (let isDone = false; !isDone;) {
    isDone = true
    for (const one of out) {
      const part = take(one.componentType, one)
      if (part !== null) taken.carried.push(part)
    }
    for (const one of moved) {
      const part = take(one.fromComponent, one)
      if (part === null) continue
      taken.used.push(part)
      add(held, part.toComponent, subtractPaise(ZERO, part.amountPaise))
      add(left, part.toComponent, part.amountPaise)
      isDone = false
    }
  }
  return taken
}

/** Money came back to a record, as of a refund that failed: what had been taken back for it is carried again. */
export function carryAgain(
  { surpluses, takenBack }: Advances,
  came: readonly ComponentAmount[],
): CarriedOut[] {
  const held = amountsOf(surpluses)
  const left = amountsOf(came)
  return takenBack.flatMap(one => {
    const there = minPaise(held.get(one.componentType) ?? ZERO, left.get(one.componentType) ?? ZERO)
    const amountPaise = minPaise(one.amountPaise, there)
    if (amountPaise <= 0) return []
    add(held, one.componentType, subtractPaise(ZERO, amountPaise))
    add(left, one.componentType, subtractPaise(ZERO, amountPaise))
    return [{ ...one, amountPaise }]
  })
}

function amountsOf(all: readonly ComponentAmount[]): Map<string, Paise> {
  const amounts = new Map<string, Paise>()
  for (const { componentType, amountPaise } of all) add(amounts, componentType, amountPaise)
  return amounts
}

function add(amounts: Map<string, Paise>, componentType: string, amountPaise: Paise): void {
  amounts.set(componentType, sumPaise([amounts.get(componentType) ?? ZERO, amountPaise]))
}
