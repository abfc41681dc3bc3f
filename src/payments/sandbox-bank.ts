import type { Callback, Provider } from './provider.ts'
import type { BankAct, BankPayment } from './sandbox-bank.rules.ts'

/** A payment as whoever stands at the counter names it. */
export type AtCounter = Pick<BankPayment, 'instituteId' | 'ref' | 'amountPaise'>

/** What the sandbox's bank offers beside the port: its counter, where pages and the sandbox API tell it what happens. */
export type SandboxBank = Provider & {
  /** Where the bank posts what it has to tell of its own accord. */
  tell: (callback: Callback) => Promise<void>
  find(instituteId: number, ref: string): Promise<BankPayment | null>
  /** Does what the payer did; answers the callbacks that the bank now sends, none to two. */
  act(where: AtCounter, act: BankAct): Promise<Callback[]>
  /** Pays out everything captured before a moment, of one institute or of all. */
  payOut(before: Date, instituteId?: number): Promise<number>
}
