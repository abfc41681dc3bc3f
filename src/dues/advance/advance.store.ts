import type { Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Move } from './advance.rules.ts'

export type AdvanceUse = Move & { id: string; reason: string; actor: string; at: Date }

const uses = new Table<AdvanceUse & { instituteId: number; studentId: string }>('advance_uses', {
  instituteId: 'int',
  studentId: 'text',
  id: 'text',
  fromComponent: 'text',
  toComponent: 'text',
  amountPaise: 'bigint',
  reason: 'text',
  actor: 'text',
  at: 'timestamptz',
})

export async function insertUses(
  tx: Transaction,
  key: { instituteId: number; studentId: string },
  made: readonly AdvanceUse[],
): Promise<void> {
  await uses.insert(
    tx,
    made.map(use => ({ ...use, ...key })),
  )
}
