import { createHash } from 'node:crypto'
import type { AskedOrder } from '../../../orders/orders.service.ts'

/** An order as a row asks for it; moments as JSON holds them. */
export type LinkRow = Omit<AskedOrder, 'expiresAt' | 'kind'> & { expiresAt: string | null }

export function referenceOf({ notes }: LinkRow): string | null {
  return notes.find(note => note.key === 'reference')?.value ?? null
}

/** A reference names a row for ever; without one the row is what it says. */
export function keyOf(row: LinkRow): Buffer {
  const reference = referenceOf(row)
  const named = reference === null ? ['row', row] : ['reference', reference]
  return createHash('sha256').update(JSON.stringify(named)).digest()
}
