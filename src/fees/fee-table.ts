import { Table } from '../platform/db/table.ts'
import type { FeeComponent } from './fees.rules.ts'

/** The columns of a fee, also for the rows of students that carry their fees. */
export const feeComponents = new Table<FeeComponent>('fee_components', {
  componentType: 'text',
  position: 'int',
  feePaise: 'bigint',
  discounts: 'jsonb',
})
