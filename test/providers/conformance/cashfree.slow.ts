import { startCashfreeRig } from './cashfree-rig.ts'
import { conform } from './conformance.ts'

await conform(startCashfreeRig)
