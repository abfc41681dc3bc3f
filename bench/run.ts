import { measureOrders } from './orders.ts'
import { openRig } from './rig.ts'

/** `npm run bench [-- SECONDS]`: how long each round loads, 4 by default. Exits 1 when a ratio misses its aim. */
const seconds = Number(process.argv[2] ?? 4)
const rig = await openRig()
let isShort = false
try {
  for (const { name, ratio, wanted, detail } of await measureOrders(rig, seconds)) {
    const verdict = ratio >= wanted ? 'ok' : 'SHORT'
    isShort ||= ratio < wanted
    process.stdout.write(
      `${verdict.padEnd(6)}${ratio.toFixed(2)} (aim ${wanted.toFixed(2)})  ${name}: ${detail}\n`,
    )
  }
} finally {
  await rig.close()
}
process.exit(isShort ? 1 : 0)
