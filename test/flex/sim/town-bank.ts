import type { FlexAct } from './acts-support.ts'
import type { Pupil } from './erp.ts'
import type { Town } from './town.ts'

/** Where a town's payments and mandates go: the sandbox's bank, or a vendor's emulator. */
export type TownBank = {
  /** The settings of Bursar that it needs. */
  env: Record<string, string>
  /** What people do at it. */
  acts: readonly FlexAct[]
  prepare?(town: Town): Promise<void>
  /** What a payer does who has been led to the bank's page. */
  payer: {
    pay(town: Town, pupil: Pupil, paymentId: string): Promise<void>
    fail(town: Town, pupil: Pupil, paymentId: string): Promise<void>
    /** Approves, and the bank takes its time; absent where the bank always answers at once. */
    leavePending?(town: Town, pupil: Pupil, paymentId: string): Promise<void>
  }
  /** The parent says yes to the mandate that the plan waits for. */
  authorise(town: Town, pupil: Pupil): Promise<void>
  /** Whether it takes back what was paid: a refund besides would be a case for a person. */
  isGoingBack(town: Town, orderId: string): Promise<boolean>
  /** What it does in the course of a day, where it does not act by itself. */
  passDay?(town: Town): Promise<void>
  /** In the end everything that happened there is known here, once. */
  expectSame?(town: Town): Promise<void>
}
