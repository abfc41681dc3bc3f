import { duesPurpose } from '../dues/dues-payment-handler.ts'
import type { Till } from '../payments/context.ts'

/** Lets dues know of the money that parents pay of them. */
export function openDues(till: Till): void {
  till.purposes.set('student', duesPurpose(till))
}
