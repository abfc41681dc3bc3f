import pg from 'pg'
import { findFaults, type Check } from '../checks.ts'
import { HEADERS, type Figure } from '../figures.ts'
import { openCluster, Servers, type Server } from '../rig.ts'
import type { Size } from '../size.ts'
import { cpuMs, describeSpent, SpentMeter, type Spent } from '../spent.ts'
import { openFakeErp } from './flex.ts'
import { nextWindow, seedDue } from './books.ts'

const MANY = 2_000
const HOUR_MS = 3_600_000
/** After the morning of the due date: the bank has answered a day later, and paid out on the working day after that. */
const DEBITED_HOURS = 36
const SETTLED_HOURS = 76

const CHECKS: Check[] = [
  ['instalments settled', `select count(*) from flex_instalments where state = 'settled'`, total => total],
  ['presentations', 'select count(*) from flex_presentations', total => total],
  ['receipts', 'select count(*) from receipts where payer_notified_at is not null', total => total],
  ['messages left', `select count(*) from messages where state = 'queued'`, () => 0],
]

/** The instalments of one due date in a whole Bursar, from the announcement to the day they are settled. */
export async function measureInstalments({ rows }: Size): Promise<Figure[]> {
  const total = rows(MANY)
  const cluster = await openCluster()
  const servers = new Servers()
  const erp = await openFakeErp()
  const url = await cluster.makeDatabase('instalments')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await seedDue(client, total, { url: erp.url, maxCalls: 64 })
    const server = await servers.startBursar(cluster, url)
    const meter = await SpentMeter.open(server)
    const { presentOn } = nextWindow()
    const morning = Temporal.PlainDate.from(presentOn).toZonedDateTime({
      timeZone: 'Asia/Kolkata',
      plainTime: '08:00',
    }).epochMilliseconds
    const announced = await meter.measure(async () => {
      await moveClock(server, morning)
      return total
    })
    // What autovacuum does within a minute.
    await client.query('vacuum analyze')
    /** Hour by hour, so that the bank is asked about what it has not decided as often as in a day that passes. */
    const hours = (from: number, to: number) =>
      meter.measure(async () => {
        for (let hour = from + 1; hour <= to; hour++) await moveClock(server, morning + hour * HOUR_MS)
        return total
      })
    const debited = await hours(0, DEBITED_HOURS)
    const settled = await hours(DEBITED_HOURS, SETTLED_HOURS)
    await meter.close()
    const faults = await findFaults(client, CHECKS, total)
    return [
      figureOf('Asking the ERP and announcing', announced.each, null),
      figureOf('Presentation, the bank’s answer and the receipt', debited.each, null),
      figureOf('Settlement', settled.each, null),
      {
        name: 'An instalment on its due date, from presentation to settlement, ms of CPU',
        value: cpuMs(debited.each) + cpuMs(settled.each),
        aim: { most: 5 },
        detail: `${total} due together`,
      },
      {
        name: 'Faults in the books: settled, receipted and told once',
        value: faults.length,
        aim: { most: 0 },
        detail: faults.length === 0 ? 'none' : faults.join('; '),
      },
    ]
  } finally {
    await client.end()
    await erp.close()
    await servers.close()
    await cluster.close()
  }
}

function figureOf(name: string, each: Spent, aim: Figure['aim']): Figure {
  return { name: `${name}, ms of CPU an instalment`, value: cpuMs(each), aim, detail: describeSpent(each) }
}

async function moveClock({ origin }: Server, to: number): Promise<void> {
  const answer = await fetch(`${origin}/api/v1/sandbox/clock`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ to: new Date(to).toISOString() }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const { data } = (await answer.json()) as { data: { failed?: Record<string, number> } }
  if (Object.keys(data.failed ?? {}).length > 0) throw new Error(JSON.stringify(data))
}
