import { PAGE_PURPOSE } from '../payment-pages/page-payment-handler.ts'
import type { Till } from '../payments/context.ts'

/** Lets public pages know of the money that is paid on them. */
export function openPages(till: Till): void {
  till.purposes.set('page', PAGE_PURPOSE)
}
