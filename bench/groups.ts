import { measureCells } from './cells/cells.ts'
import { measureDues } from './dues.ts'
import type { Figure } from './figures.ts'
import { measureFlex } from './flex/flex.ts'
import { measureInstalments } from './flex/instalments.ts'
import { measureImport } from './import/import.ts'
import { measureOrders } from './orders.ts'
import { measurePayments } from './payments/payments.ts'
import { measureReceipts } from './receipts/receipts.ts'
import { openRig, type Rig } from './rig.ts'
import { measureSettlement } from './settlement/settlement.ts'
import type { Size } from './size.ts'
import { measureVisitors } from './visitors.ts'
import { measureBacklog, measureWebhooks } from './webhooks/webhooks.ts'
import { measureYears } from './years.ts'

/** What `npm run bench` can measure, by name. */
export const GROUPS: Record<string, (size: Size) => Promise<Figure[]>> = {
  orders: size => withRig(rig => measureOrders(rig, size)),
  payments: size => withRig(rig => measurePayments(rig, size)),
  receipts: measureReceipts,
  settlement: measureSettlement,
  webhooks: measureWebhooks,
  backlog: measureBacklog,
  flex: measureFlex,
  instalments: measureInstalments,
  import: measureImport,
  dues: measureDues,
  visitors: size => withRig(rig => measureVisitors(rig, size)),
  years: measureYears,
  cells: measureCells,
}

async function withRig(measure: (rig: Rig) => Promise<Figure[]>): Promise<Figure[]> {
  const rig = await openRig()
  try {
    return await measure(rig)
  } finally {
    await rig.close()
  }
}
