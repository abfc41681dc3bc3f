import type { LinkedPart } from '../port.ts'

/** How the provider's account knows a bank account of the school. */
export type LinkedAccount = {
  bankAccountId: string
  /** What the office calls it. */
  name: string
  /** The account at the provider that takes the payments. */
  accountId: string
  linkedId: LinkedPart['linkedId']
  isVerified: boolean
}

/** Which components name a bank account of their own, and how providers know those accounts. */
export type Destinations = {
  /** The bank account that a component names, or the fee that it is a part of; null: that of the provider's account. */
  namedBy: (componentType: string) => { id: string; name: string } | null
  linked: readonly LinkedAccount[]
}

export const NO_DESTINATIONS: Destinations = { namedBy: () => null, linked: [] }

export type Destination =
  | { kind: 'own' }
  | { kind: 'linked'; bankAccountId: string; linkedId: string }
  /** It cannot be charged online. */
  | { kind: 'closed'; why: string }

/** Where what is paid online for a component goes, through an account at a provider that splits payments or does not. */
export function destinationOf(
  { namedBy, linked }: Destinations,
  { id: accountId, canSplit }: { id: string; canSplit: boolean },
  componentType: string,
): Destination {
  const named = namedBy(componentType)
  if (named === null) return { kind: 'own' }
  const belongs = `belongs to the bank account "${named.name}"`
  const link = linked.find(one => one.bankAccountId === named.id && one.accountId === accountId)
  if (link === undefined || !canSplit)
    return {
      kind: 'closed',
      why: `${belongs}, in which the account that takes this payment cannot settle it: it cannot be paid online`,
    }
  return link.isVerified
    ? { kind: 'linked', bankAccountId: named.id, linkedId: link.linkedId }
    : { kind: 'closed', why: `${belongs}, which the provider has not verified: it cannot be paid online yet` }
}
