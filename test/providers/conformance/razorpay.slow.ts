import { suite } from 'node:test'
import { conform } from './conformance.ts'
import { startRazorpayRig } from './razorpay-rig.ts'

/** What the documentation leaves open must not matter, so the guarantees hold both ways. */
suite('Razorpay', () => conform(owner => startRazorpayRig(owner)))
suite('Razorpay with its other habits', () =>
  conform(owner =>
    startRazorpayRig(owner, {
      habits: { hasUniqueReceipts: true, upiRegistration: 'dummy', attemptsInheritNotes: true },
      // Waiting for silence again would tell nothing new.
      faults: ['lost', 'broken'],
    }),
  ),
)
