import { outputOf, type Shown } from '../../http/wire/output.ts'
import { BANK_ACCOUNT_ID } from './account.input.ts'
import type { BankAccount } from './accounts.service.ts'

const out = outputOf<BankAccount>()
export const bankAccountOutput = out.object({
  id: out.text('Id of the bank account.', BANK_ACCOUNT_ID),
  name: out.text('What the office calls it.', 'HDFC current 4512'),
})
export type BankAccountAnswer = Shown<typeof bankAccountOutput>
