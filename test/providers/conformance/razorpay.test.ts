import { startRazorpayRig } from './razorpay-rig.ts'
import { conform } from './conformance.ts'

await conform(owner => startRazorpayRig(owner))
