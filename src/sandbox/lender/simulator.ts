import type { Callback } from '../../providers/port.ts'
import type { Lender } from '../../loans/lender-port.ts'
import type { LenderAct, LenderLoan } from './simulator.rules.ts'

/** What the sandbox's lender offers beside the port: its counter, where pages and the sandbox API tell it what happens. */
export type SandboxLender = Lender & {
  /** Where the lender posts what it has to tell of its own accord. */
  tell: (callback: Callback) => Promise<void>
  find(instituteId: number, key: { ref: string } | { applicationId: string }): Promise<LenderLoan | null>
  /** Does what the borrower or the lender did; answers the callbacks that the lender now sends, none to two. */
  act(where: Pick<LenderLoan, 'instituteId' | 'ref'>, act: LenderAct): Promise<Callback[]>
}
