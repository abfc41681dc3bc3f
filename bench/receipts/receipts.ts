import pg from 'pg'
import { startFakeSmtp } from '../../test/harness/fakes/smtp.ts'
import { waitFor } from '../../test/harness/wait.ts'
import { HEADERS, median, ORDER_BODY, type Figure } from '../figures.ts'
import type { PayPlan, PayResult } from '../payments/load.ts'
import { openRig, runChild, type Rig } from '../rig.ts'
import type { Size } from '../size.ts'
import type { PrintPlan, PrintResult } from './print.ts'

const ROUNDS = 5
const PAPERS = 1_000
/** As the helper processes of Bursar run. */
const PRINTER_FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=16', '--v8-pool-size=1']

/** What a receipt costs in CPU time of the process that prints it, and whether mails keep up with payments. */
export async function measureReceipts(size: Size): Promise<Figure[]> {
  return [
    await measurePrinting('Latin', size),
    await measurePrinting('Devanagari', size),
    await measureMails(size),
  ]
}

async function measurePrinting(script: PrintPlan['script'], { rounds, rows }: Size): Promise<Figure> {
  const plan: PrintPlan = { papers: rows(PAPERS), rounds: rounds(ROUNDS), script }
  const { msEach, bytesEach } = (await runChild('receipts/print.ts', plan, {
    flags: PRINTER_FLAGS,
  })) as PrintResult
  const [least, most] = [Math.min(...msEach), Math.max(...msEach)]
  return {
    name: `CPU of a receipt as PDF, ms, with a logo and names in ${script}`,
    value: median(msEach),
    aim: { most: 5 },
    detail: `${least.toFixed(2)} to ${most.toFixed(2)} in ${msEach.length} rounds of ${plan.papers}; ${Math.round(bytesEach / 1_000)} kB`,
  }
}

const PAYERS = 32
/** Long enough that the few seconds in which payers are looked for do not decide. */
const LOAD_ROUNDS = 5

/** The receipts of all payments as mails over SMTP: how long payments were taken, of how long their mails took. */
async function measureMails({ seconds, warmUpSeconds }: Size): Promise<Figure> {
  const closing: (() => Promise<void> | void)[] = []
  const smtp = await startFakeSmtp({ after: done => void closing.push(done) })
  process.env['SMTP_URL'] = smtp.url
  const rig = await openRig()
  delete process.env['SMTP_URL']
  const client = new pg.Client({ connectionString: rig.full.databaseUrl })
  await client.connect()
  try {
    // A printer opens its fonts with its first paper.
    await pay(rig, warmUpSeconds)
    const [issued, mailed] = [await countOf(client, RECEIPTS), await countOf(client, MAILED)]
    const start = performance.now()
    await pay(rig, LOAD_ROUNDS * seconds)
    const paidMs = performance.now() - start
    const count = (await countOf(client, RECEIPTS)) - issued
    await waitFor(async () => (await countOf(client, MAILED)) - mailed >= count, `${count} mails`, {
      limitMs: 120_000,
      everyMs: 100,
    })
    const mailedMs = performance.now() - start
    return {
      name: 'Time in which payments come, of the time in which their mails leave with receipts',
      value: paidMs / mailedMs,
      aim: { least: 0.8 },
      detail: `${count} payments in ${(paidMs / 1_000).toFixed(1)} s, all mails after ${(mailedMs / 1_000).toFixed(1)} s`,
    }
  } finally {
    await client.end()
    await rig.close()
    for (const close of closing) await close()
  }
}

async function pay({ full }: Rig, seconds: number): Promise<void> {
  const plan: PayPlan = {
    origin: full.origin,
    kind: 'api',
    headers: HEADERS,
    body: ORDER_BODY,
    seconds,
    payers: PAYERS,
  }
  const { failures } = (await runChild('payments/load.ts', plan)) as PayResult
  if (failures.length > 0) throw new Error(failures[0])
}

/** The demo school has some of its own. */
const RECEIPTS = 'receipts'
const MAILED = `messages where channel = 'email' and attachment is not null and state = 'sent'`

async function countOf(client: pg.Client, rows: string): Promise<number> {
  const answer = await client.query<{ count: number }>(`select count(*)::int as count from ${rows}`)
  return answer.rows[0]?.count ?? 0
}
