import type { Command } from 'commander'
import { readConfig } from '../app/config.ts'
import { createContext } from '../app/context.ts'
import { recordAudit } from '../console/audit/audit.service.ts'
import { getInstitute } from '../institutes/institutes.service.ts'
import {
  listMismatches,
  refundMismatch,
  takeMismatch,
} from '../payments/mismatches/settle-mismatch.service.ts'
import { formatRupees } from '../platform/money.ts'
import { readInstituteCode, readName } from './input.ts'
import { addExamples } from './terminal/help.ts'
import { formatTable, formatTime, show } from './terminal/output.ts'
import { SILENT, withContext } from './with-context.ts'

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
