import type { Transaction } from '../../platform/db/database.ts'

/**
 * Statistics know nothing of rows that this transaction has only just written, and a plan made by them may take hours.
 * From here on every statement asks for some rows by their keys.
 */
export async function planByKeys(tx: Transaction): Promise<void> {
  await choosePlans(tx, {
    enable_nestloop: true,
    enable_hashjoin: false,
    enable_mergejoin: false,
    enable_seqscan: false,
  })
}

/** From here on every statement goes through all rows of an import at once. */
export async function planWhole(tx: Transaction): Promise<void> {
  await choosePlans(tx, {
    enable_nestloop: false,
    enable_hashjoin: true,
    enable_mergejoin: true,
    enable_seqscan: true,
  })
}

async function choosePlans(tx: Transaction, settings: Record<string, boolean>): Promise<void> {
  await tx.query(
    'select set_config(name, value, true) from unnest($1::text[], $2::text[]) as s (name, value)',
    [Object.keys(settings), Object.values(settings).map(isOn => (isOn ? 'on' : 'off'))],
  )
}
