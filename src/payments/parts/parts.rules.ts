import { minPaise, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import type { LinkedPart } from '../../providers/port.ts'
import type { Destination } from '../../providers/settlement-accounts/destinations.rules.ts'

/** The part of a payment that is settled in one bank account. */
export type Part = {
  /** 0: what stays with the account that takes the payment. */
  partNo: number
  bankAccountId: string | null
  linkedId: string | null
  lineNos: readonly number[]
  amountPaise: Paise
}

/**
 * Divides the lines of an order by where they are settled: part 0 stays with the account that takes the payment, the others
 * follow in the order of their first lines. None when all of it stays.
 */
export function divideLines(
  lines: readonly { componentType: string; amountPaise: Paise }[],
  destinationOf: (componentType: string) => Destination,
): Part[] {
  const parts: Part[] = [{ partNo: 0, bankAccountId: null, linkedId: null, lineNos: [], amountPaise: ZERO }]
  for (const [index, { componentType, amountPaise }] of lines.entries()) {
    const destination = destinationOf(componentType)
    if (destination.kind === 'closed') throw new Error(`${componentType} cannot be charged online`)
    const { bankAccountId, linkedId } =
      destination.kind === 'own' ? { bankAccountId: null, linkedId: null } : destination
    const at = parts.findIndex(part => part.linkedId === linkedId)
    const known = parts[at] ?? {
      partNo: parts.length,
      bankAccountId,
      linkedId,
      lineNos: [],
      amountPaise: ZERO,
    }
    parts[at < 0 ? parts.length : at] = {
      ...known,
      lineNos: [...known.lineNos, index + 1],
      amountPaise: sumPaise([known.amountPaise, amountPaise]),
    }
  }
  return parts.length === 1 ? [] : parts
}

export type RefundPart = Pick<Part, 'partNo' | 'linkedId' | 'amountPaise'>

/**
 * Divides a refund among the parts of its payment, by the lines that it gives back; `given` is what earlier refunds took of
 * each part. What no line names, or what is more than is left of a linked part, comes from part 0, with which the provider
 * accounts. None when all of it does.
 */
export function divideRefund(
  parts: readonly Part[],
  { amountPaise, lines }: { amountPaise: Paise; lines: readonly { lineNo: number; amountPaise: Paise }[] },
  given: ReadonlyMap<number, Paise>,
): RefundPart[] {
  const linked = parts
    .filter(part => part.linkedId !== null)
    .map(({ partNo, linkedId, lineNos, amountPaise: whole }) => {
      const asked = sumPaise(
        lines.filter(line => lineNos.includes(line.lineNo)).map(line => line.amountPaise),
      )
      const left = subtractPaise(whole, given.get(partNo) ?? ZERO)
      return { partNo, linkedId, amountPaise: minPaise(asked, left) }
    })
    .filter(part => part.amountPaise > 0)
  if (linked.length === 0) return []
  const own = subtractPaise(amountPaise, sumPaise(linked.map(part => part.amountPaise)))
  return [{ partNo: 0, linkedId: null, amountPaise: own }, ...linked]
}

/** What a provider is told: how much goes to each linked account, of all that is paid at once. */
export function toLinkedParts(parts: readonly Pick<Part, 'linkedId' | 'amountPaise'>[]): LinkedPart[] {
  const sums = new Map<string, Paise>()
  for (const { linkedId, amountPaise } of parts)
    if (linkedId !== null) sums.set(linkedId, sumPaise([sums.get(linkedId) ?? ZERO, amountPaise]))
  return [...sums].map(([linkedId, amountPaise]) => ({ linkedId, amountPaise }))
}
