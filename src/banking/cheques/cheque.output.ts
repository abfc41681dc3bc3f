import { outputOf, type Shown } from '../../http/wire/output.ts'
import { chequeList, type Cheque } from './cheque.list.ts'

/** A cheque that a line of a bank statement may have returned. */
const returned = outputOf<Cheque & { isNamed: boolean }>()
export const returnedChequeOutput = returned.object({
  ...chequeList.columns,
  is_named: returned.flag('The line names its number.', true),
})
export type ReturnedChequeAnswer = Shown<typeof returnedChequeOutput>
