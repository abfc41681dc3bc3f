import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { createContext } from '../app/context.ts'
import {
  addExamples,
  InputError,
  formatTable,
  formatTime,
  show,
  startProgress,
  writeError,
} from './terminal.ts'
import { readInstituteCode, readName } from './operator-input.ts'
import { SILENT, withContext } from './with-database.ts'
import { recordAudit } from '../console/audit/audit.service.ts'
import { repairSums } from '../console/sums/sums.service.ts'
import { repairBalances } from '../fees/balances.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { getInstitute, listInstitutes } from '../institutes/institutes.service.ts'
import { listMismatches, refundMismatch, takeMismatch } from '../payments/mismatches/mismatches.service.ts'
import { reconcile, type Reconciliation } from '../payments/reconcile/reconcile.service.ts'
import { readPayOuts } from '../payments/settlements/settlements.service.ts'
import { formatRupees, paiseOf } from '../platform/money.ts'
import { cancelReceipt } from '../receipts/receipts.service.ts'

/** Money that came with another amount than its order asks for, which pays nothing until somebody says what becomes of it. */
export function addPaymentCommands(program: Command): void {
  const payments = program
    .command('payments')
    .description('money that came with another amount than was asked for')
  const list = payments
    .command('mismatched')
    .description('show what came with another amount, or failed to go back, and nobody has dealt with')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .action(runList)
  addExamples(list, ['bursar payments mismatched green-park'])
  addAct(payments, 'refund', 'give all of it back to the payer; the order can then be paid again')
  addAct(payments, 'take', "take it as a payment of the student's dues; only of an order of dues")
}

type Act = 'refund' | 'take'

function addAct(payments: Command, act: Act, description: string): void {
  const command = payments
    .command(act)
    .description(description)
    .argument('<institute>', "the institute's code", readInstituteCode)
    .argument('<number>', 'as `bursar payments mismatched` shows it')
    .requiredOption('--reason <reason>', 'why; it is kept with the report', readName)
    .action((institute: string, id: string, { reason }: { reason: string }) =>
      runAct(act, { institute, id, reason }),
    )
  addExamples(command, [`bursar payments ${act} green-park 42 --reason "the family paid ₹10,000"`])
}

async function runList(code: string): Promise<void> {
  await withContext(async base => {
    const { ctx } = await createContext(readConfig(process.env), base, SILENT)
    const { id } = await getInstitute(ctx, code)
    const found = await listMismatches(ctx, id)
    const rows = found.map(one => [
      one.id,
      one.orderId,
      one.payer,
      formatRupees(one.askedPaise),
      formatRupees(one.reportedPaise),
      formatTime(one.noticedAt),
      one.problem,
      one.canTake ? 'refund or take' : 'refund',
    ])
    const header = ['number', 'order', 'payer', 'asked', 'came', 'noticed', 'problem', 'what can be done']
    show(
      found,
      found.length === 0
        ? 'Nothing came with another amount, and no refund of such money failed.'
        : formatTable(header, rows),
    )
  })
}

const DONE: Record<Act, string> = {
  refund: 'It goes back to the payer.',
  take: 'It is taken as a payment of the dues.',
}

async function runAct(
  act: Act,
  { institute, id, reason }: { institute: string; id: string; reason: string },
): Promise<void> {
  await withContext(async base => {
    const { ctx } = await createContext(readConfig(process.env), base, SILENT)
    const { id: instituteId } = await getInstitute(ctx, institute)
    const note = { what: act === 'take' ? 'report.taken' : 'report.refunded', about: id, why: reason }
    const audit = (tx: Parameters<typeof recordAudit>[0]): Promise<void> =>
      recordAudit(tx, ctx, { instituteId, actor: 'command line' }, note)
    const settle = act === 'take' ? takeMismatch : refundMismatch
    const target = { instituteId, id, by: 'command line' }
    await settle(ctx, { instituteId, audit }, target, reason)
    show({ [act]: id }, DONE[act])
  })
}

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
