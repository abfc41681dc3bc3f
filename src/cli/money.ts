import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { getInstitute, listInstitutes } from '../institutes/institutes.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { createContext } from '../app/context.ts'
import { readPayOuts } from '../payments/settlements/settle-due.service.ts'
import { reconcile, type Reconciliation } from '../payments/reconcile/reconcile.service.ts'
import { cancelReceipt } from '../receipts/receipts.service.ts'
import { formatRupees, paiseOf } from '../platform/money.ts'
import { repairBalances } from '../fees/balances.service.ts'
import { repairSums } from '../console/sums/sums.service.ts'
import { addExamples } from './terminal/help.ts'
import { readInstituteCode, readName } from './input.ts'
import { InputError } from './terminal/failures.ts'
import { show, startProgress, writeError } from './terminal/output.ts'
import { SILENT, withContext } from './with-context.ts'

export function addMoneyCommands(program: Command): void {
  const check = program
    .command('reconcile')
    .description(
      'hold ledger, orders, what students owe and provider against each other and say what differs',
    )
    .argument('[institute]', "an institute's code; all of them if absent", readInstituteCode)
    .option(
      '--repair',
      'first sum up anew what students owe and what came, where it is not what fees and payments say',
    )
    .action(runReconcile)
  addExamples(check, ['bursar reconcile', 'bursar reconcile green-park --json', 'bursar reconcile --repair'])

  const settlements = program.command('settlements').description('what providers paid out to bank accounts')
  const read = settlements
    .command('read')
    .description('ask every provider account now what it paid out; Bursar does so by itself every hour')
    .action(runRead)
  addExamples(read, ['bursar settlements read'])

  const receipts = program.command('receipts').description('receipts of payments')
  const cancel = receipts
    .command('cancel')
    .description('cancel a receipt; its number is never used again')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .argument('<number>', 'as printed, such as 2026-27/000042')
    .requiredOption('--reason <reason>', 'why; it is printed on the receipt', readName)
    .action(runCancel)
  addExamples(cancel, [
    'bursar receipts cancel green-park 2026-27/000042 --reason "issued to the wrong payer"',
  ])
}

async function runReconcile(code: string | undefined, options: { repair?: boolean }): Promise<void> {
  await withContext(async base => {
    const { ctx } = await createContext(readConfig(process.env), base, SILENT)
    const institutes = code === undefined ? await listInstitutes(ctx) : [await getInstitute(ctx, code)]
    const results: Reconciliation[] = []
    for (const institute of institutes) {
      if (options.repair === true) await repair(ctx, institute)
      const progress = startProgress(`Payments of ${institute.code}`, undefined, String)
      results.push(await reconcile(ctx, institute, compared => progress.tick(compared)))
      progress.end()
    }
    show(results, results.map(describe).join('\n'))
    if (results.some(result => result.differences.length > 0)) process.exitCode = 1
  })
}

async function runRead(): Promise<void> {
  await withContext(async base => {
    const { ctx } = await createContext(readConfig(process.env), base, SILENT)
    const settled = await readPayOuts(ctx)
    show(
      { settled },
      settled === 0 ? 'Nothing new was paid out.' : `${settled} payments and refunds are settled.`,
    )
  })
}

async function repair(ctx: Parameters<typeof repairBalances>[0], { id, code }: Institute): Promise<void> {
  const repaired = await repairBalances(ctx, id)
  writeError(`${code}: what ${repaired} students owe was summed up anew.`)
  const progress = startProgress(`Students of ${code}`, undefined, String)
  const differing = await repairSums(ctx, id, counted => progress.tick(counted))
  progress.end()
  if (differing > 0) writeError(`${code}: ${differing} sums of dues and days differed and were made anew.`)
}

function describe({ institute, checks, differences, expected }: Reconciliation): string {
  const waiting = paiseOf(expected.reduce((sum, payment) => sum + payment.amountPaise, 0))
  const head = `${institute}: ${checks.length} checks, ${differences.length} differences`
  const rest =
    expected.length === 0
      ? ''
      : `, ${expected.length} payments (${formatRupees(waiting)}) expected from the bank`
  const lines = differences.map(({ check, subject, detail }) => `  ${check}: ${subject} ${detail}`)
  return [head + rest, ...lines].join('\n')
}

async function runCancel(institute: string, number: string, options: { reason: string }): Promise<void> {
  const [, financialYear, digits] = /^(\d{4}-\d{2})\/(\d{1,9})$/.exec(number) ?? []
  if (financialYear === undefined || digits === undefined) {
    throw new InputError(`"${number}" is not a receipt number; they look like 2026-27/000042.`)
  }
  await withContext(async ctx => {
    const target = { financialYear, number: Number(digits), reason: options.reason }
    const { id: instituteId } = await getInstitute(ctx, institute)
    await cancelReceipt(ctx, { instituteId }, target)
    show({ cancelled: number }, `Cancelled the receipt ${number}.`)
  })
}
