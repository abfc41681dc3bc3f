import type { Clock } from '../../platform/clock.ts'
import type { Lender } from '../lender-port.ts'

/**
 * A lender without an API: its people read applications and record what they decide in the console (desk.service.ts), so
 * there is nothing to ask. The borrower fills in no form there: with the consent the application is complete.
 */
export function createDeskLender(
  known: Pick<Lender, 'name' | 'title' | 'limits' | 'terms'>,
  clock: Clock,
): Lender {
  return {
    ...known,
    async start({ instituteId, applicationId, returnUrl }) {
      const lenderRef = applicationId
      const update = { kind: 'filled', at: clock.now() } as const
      return {
        lenderRef,
        lenderUrl: returnUrl,
        reports: [{ instituteId, applicationId, lenderRef, update }],
      }
    },
    // Its people see the acceptance in the console.
    async accept() {},
    status: async () => [],
    // Nothing is to be ended elsewhere.
    end: async () => [],
    readCallback: async () => null,
  }
}
