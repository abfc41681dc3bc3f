import type { Till } from '../payments/context.ts'
import type { ErpGround } from '../erp/context.ts'

/** What Flex stands on: money that moves, and ERPs that can be asked. */
export type FlexGround = Till & ErpGround
