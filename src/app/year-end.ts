import { duesAtYearEnd } from '../dues/dues.service.ts'
import { readUnsettled } from '../flex/plans/plan-reads.service.ts'
import type { YearEnd } from '../students/rollover/rollover.service.ts'

/** What a rollover asks of plans, dues and orders, which rank above students and beside each other. */
export const yearEnd: YearEnd = { readUnsettled, ...duesAtYearEnd }
