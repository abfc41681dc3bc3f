import { PAGE_PURPOSE } from './pages/page-purpose.ts'
import type { Till } from './payments/till.ts'

/** Lets public pages know of the money that is paid on them. */
export function openPages(till: Till): void {
  till.purposes.set('page', PAGE_PURPOSE)
}
