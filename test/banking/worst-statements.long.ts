import { after, test } from 'node:test'
import { WORST_FILES } from '../harness/worst-files.ts'
import { Statements } from './statement-files.ts'
import { BankDesk } from './support.ts'

const bank = await BankDesk.open(after)
const statements = new Statements(bank, await bank.newAccount())

for (const file of WORST_FILES.statement)
  test(`a statement that is ${file.name} is looked at without a stall, or refused in words`, () =>
    statements.assertHarmless(file))
