import { minPaise, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'

/** What is paid of one component beyond its price; below 0 it is owed. */
export type Surplus = { componentType: string; amountPaise: Paise }

/** An advance of one component that was used for another of the same record. */
export type Used = { fromComponent: string; toComponent: string; amountPaise: Paise }

/** An advance of one component that was carried to a later record, where it stands as `gainedAs`. */
export type CarriedOut = {
  componentType: string
  otherStudentId: string
  gainedAs: string
  rolloverId: string
  amountPaise: Paise
}

export type Advances = {
  surpluses: readonly Surplus[]
  carried: readonly CarriedOut[]
  used: readonly Used[]
}

export type TakenBack = { carried: CarriedOut[]; used: Used[] }

/**
 * Money of a record went away after its advance had been carried to the next year, or had paid another fee. As much of
 * the advance as is now missing comes back: what was carried first, since that was last, then what was used. A fee that
 * loses what paid it may itself have given an advance away, so this goes on until nothing more can come.
 */
export function takeBack({ surpluses, carried, used }: Advances): TakenBack {
  const held = new Map(surpluses.map(one => [one.componentType, one.amountPaise]))
  const taken: TakenBack = { carried: [], used: [] }
  const out = carried.map(one => ({ ...one }))
  const moved = used.map(one => ({ ...one }))
  const take = <From extends { amountPaise: Paise }>(componentType: string, from: From): From | null => {
    const missing = subtractPaise(ZERO, held.get(componentType) ?? ZERO)
    const amountPaise = minPaise(missing, from.amountPaise)
    if (amountPaise <= 0) return null
    from.amountPaise = subtractPaise(from.amountPaise, amountPaise)
    held.set(componentType, sumPaise([held.get(componentType) ?? ZERO, amountPaise]))
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
      held.set(part.toComponent, subtractPaise(held.get(part.toComponent) ?? ZERO, part.amountPaise))
      isDone = false
    }
  }
  return taken
}
