import type { DisputeAct } from './disputes.rules.ts'
import type { BankDebit, BankMandate, DebitAct, MandateAct } from './mandates.rules.ts'
import type { MandatePort } from '../../providers/mandate-port.ts'
import type { Callback, Provider } from '../../providers/port.ts'
import type { BankAct, BankPayment } from './simulator.rules.ts'
import type { TransferPort } from '../../providers/transfer-port.ts'

/** A payment by the reference that the payer knows. */
export type AtCounter = Pick<BankPayment, 'instituteId' | 'ref' | 'amountPaise'>

/** What the sandbox's bank offers beside the port: its counter, where pages and the sandbox API tell it what happens. */
export type SandboxBank = Provider & {
  readonly mandates: MandatePort
  readonly transfers: TransferPort
  /** Where the bank posts what it has to tell of its own accord. */
  tell: (callback: Callback) => Promise<void>
  /** A payment that has a page; debits and transfers have none. */
  find(instituteId: number, ref: string): Promise<BankPayment | null>
  /** Does what the payer did; answers the callbacks that the bank now sends, none to two. */
  act(where: AtCounter, act: BankAct): Promise<Callback[]>
  findMandate(instituteId: number, key: { ref: string } | { mandateId: string }): Promise<BankMandate | null>
  actOnMandate(where: Pick<BankMandate, 'instituteId' | 'ref'>, act: MandateAct): Promise<Callback[]>
  /** Ends a debit that is out, or takes back one that was debited. */
  decide(where: Pick<BankDebit, 'instituteId' | 'ref'>, act: DebitAct): Promise<Callback[]>
  /** A payer's bank opens or decides a dispute of a payment or debit. */
  dispute(where: Pick<BankPayment, 'instituteId' | 'ref'>, act: DisputeAct): Promise<Callback[]>
  /** Does what is due by itself, mandates to confirm and debits to decide, and tells; answers how many. */
  runDue(limit: number): Promise<number>
  nextDue(): Promise<Date | null>
  /** Pays out everything captured before a moment, of one institute or of all. */
  payOut(before: Date, instituteId?: number): Promise<number>
}
