import type { Till } from '../payments/till.ts'
import type { ErpGround } from '../students/erp-line.ts'

/** What Flex stands on: money that moves, and ERPs that can be asked. */
export type FlexGround = Till & ErpGround
