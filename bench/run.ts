import { measureDues } from './dues.ts'
import { describe, isMet, type Figure } from './figures.ts'
import { measureFlex } from './flex.ts'
import { measureImport } from './import.ts'
import { measureOrders } from './orders.ts'
import { measurePayments } from './payments.ts'
import { openRig, type Rig } from './rig.ts'
import { measureSettlement } from './settlement.ts'
import { measureVisitors } from './visitors.ts'
import { measureBacklog, measureWebhooks } from './webhooks.ts'
import { measureYears } from './years.ts'

/**
 * `npm run bench [-- SECONDS [orders|payments|settlement|webhooks|backlog|flex|import|dues|visitors|years]]`: how long each round loads, 4 by default, and one group
 * instead of all. Exits 1 when a figure misses its aim.
 */
const GROUPS: Record<string, (seconds: number) => Promise<Figure[]>> = {
  orders: seconds => withRig(rig => measureOrders(rig, seconds)),
  payments: seconds => withRig(rig => measurePayments(rig, seconds)),
  settlement: () => measureSettlement(),
  webhooks: seconds => measureWebhooks(seconds),
  backlog: () => measureBacklog(),
  flex: () => measureFlex(),
  import: () => measureImport(),
  dues: () => measureDues(),
  visitors: seconds => withRig(rig => measureVisitors(rig, seconds)),
  years: seconds => measureYears(seconds),
}

async function withRig(measure: (rig: Rig) => Promise<Figure[]>): Promise<Figure[]> {
  const rig = await openRig()
  try {
    return await measure(rig)
  } finally {
    await rig.close()
  }
}

const [time = '4', ...names] = process.argv.slice(2)
const seconds = Number(time)
const wanted = names.length === 0 ? Object.keys(GROUPS) : names
if (!(seconds > 0) || wanted.some(name => !Object.hasOwn(GROUPS, name))) {
  process.stderr.write(`Usage: npm run bench -- SECONDS [${Object.keys(GROUPS).join('|')}]\n`)
  process.exit(2)
}

let isShort = false
for (const name of wanted) {
  for (const figure of (await GROUPS[name]?.(seconds)) ?? []) {
    isShort ||= !isMet(figure)
    process.stdout.write(`${describe(figure)}\n`)
  }
}
process.exit(isShort ? 1 : 0)
