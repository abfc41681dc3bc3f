import { median, type Figure, type CountedRound } from '../figures.ts'
import { createOrder, loading, ORDERS_PATH } from '../orders.ts'
import { subscribe, takePayments } from '../payments/payments.ts'
import { openReceiver } from '../rig.ts'
import type { Size } from '../size.ts'
import { cpuOfTree } from '../spent.ts'
import { openService, type BenchCell, type Service } from './service.ts'

/** CPU time of an act in its cell, and of the proxy before it. */
export type Cost = { nodeMs: number; helpersMs: number; postgresMs: number; proxyMs: number }

/** Of the rounds of one way to ask: the median of each part, and of what the cell spent the median and the spread. */
export type Measured = Cost & { cellMs: number; leastMs: number; mostMs: number; perSecond: number }

/** `from` to `to` holds the true middle in 95 of 100 such runs, whatever else the machine does. */
export type Ratio = { median: number; from: number; to: number }

export type CellFigures = {
  rounds: number
  payment: { straight: Measured; behind: Measured }
  ratio: Ratio
  read: Measured
}

const ROUNDS = 15
/** In each cell: what a cell spends by itself is then the same part of a payment. */
export const PER_SECOND = 15
/** A payment in a cell costs what it costs on one machine. */
const MOST = 1.05

type CellRound = Cost & { perSecond: number }
type Way = keyof CellFigures['payment']

/**
 * A family pays by the hosted page, with webhook, receipt and mail, until all of it is done: at two installations at the
 * same time, of which one is asked straight and the other through the proxy, and then the other way round. What else the
 * machine does hits both alike, and what makes one of the two dearer falls out of the two halves of a round.
 */
export async function compareCells({ seconds, warmUpSeconds, rounds }: Size): Promise<CellFigures> {
  const service = await openService()
  const receiver = await openReceiver('plain')
  try {
    const [north, south] = service.cells
    if (north === undefined || south === undefined) throw new Error('two cells are compared')
    for (const { server, headers } of service.cells) await subscribe(server, receiver.ports[0] ?? 0, headers)
    const found: Record<Way, CellRound[]> = { straight: [], behind: [] }
    const ratios: number[] = []
    const half = async (asked: Record<Way, BenchCell>, time: number): Promise<number> => {
      const one = await payBothWays(service.proxy, asked, time)
      for (const way of ['straight', 'behind'] as const) found[way].push(one[way])
      return cellMs(one.behind) / cellMs(one.straight)
    }
    if (warmUpSeconds > 0) await payBothWays(service.proxy, { straight: north, behind: south }, warmUpSeconds)
    const count = rounds(ROUNDS)
    for (let round = 0; round < count; round++) {
      const first = await half({ straight: north, behind: south }, seconds)
      const second = await half({ straight: south, behind: north }, seconds)
      ratios.push(Math.sqrt(first * second))
    }
    const read = await readOrders(service, { seconds, rounds: Math.ceil(count / 2) })
    return {
      rounds: count,
      payment: { straight: summarize(found.straight), behind: summarize(found.behind) },
      ratio: ratioOf(ratios),
      read: summarize(read),
    }
  } finally {
    await receiver.close()
    await service.close()
  }
}

function ratioOf(ratios: readonly number[]): Ratio {
  const sorted = ratios.toSorted((one, other) => one - other)
  const rank = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2))
  return { median: median(sorted), from: sorted[rank] ?? 0, to: sorted.at(-1 - rank) ?? 0 }
}

export async function measureCells(size: Size): Promise<Figure[]> {
  const { payment, ratio } = await compareCells(size)
  return [
    {
      name: 'A cell behind HAProxy: CPU of Bursar and PostgreSQL for a payment, of that without a proxy',
      value: ratio.median,
      aim: { most: MOST },
      detail: `${ratio.from.toFixed(2)} to ${ratio.to.toFixed(2)}; ${describeCost(payment.behind)}; straight ${describeCost(payment.straight)}`,
    },
  ]
}

async function payBothWays(
  proxy: Service['proxy'],
  { straight, behind }: Record<Way, BenchCell>,
  seconds: number,
): Promise<Record<Way, CellRound>> {
  const before = cpuOfTree(proxy.pid)
  const [one, other] = await Promise.all([pay(straight, seconds), pay(behind, seconds, proxy.url)])
  return { straight: costOf(one, 0), behind: costOf(other, cpuOfTree(proxy.pid) - before) }
}

function pay({ server, headers }: BenchCell, seconds: number, origin = server.origin): Promise<CountedRound> {
  return takePayments('page', server, seconds, { origin, headers, beginPerSecond: PER_SECOND })
}

async function readOrders(
  { cells, proxy }: Service,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<CellRound[]> {
  const { server, headers } = cells[0]!
  const id = await createOrder(`${server.origin}${ORDERS_PATH}`, headers)
  const asked = { ...server, origin: proxy.url }
  const load = await loading(asked, { path: `${ORDERS_PATH}/${id}`, headers })
  const found: CellRound[] = []
  for (let round = 0; round < rounds; round++) {
    const before = cpuOfTree(proxy.pid)
    found.push(costOf(await load(seconds), cpuOfTree(proxy.pid) - before))
  }
  return found
}

function costOf({ each, count, perSecond }: CountedRound, proxyMs: number): CellRound {
  const { nodeMs, helpersMs, postgresMs } = each
  return { nodeMs, helpersMs, postgresMs, proxyMs: proxyMs / count, perSecond }
}

const cellMs = ({ nodeMs, helpersMs, postgresMs }: Cost): number => nodeMs + helpersMs + postgresMs

function summarize(rounds: readonly CellRound[]): Measured {
  const spent = rounds.map(cellMs)
  const middle = (part: keyof CellRound): number => median(rounds.map(round => round[part]))
  return {
    nodeMs: middle('nodeMs'),
    helpersMs: middle('helpersMs'),
    postgresMs: middle('postgresMs'),
    proxyMs: middle('proxyMs'),
    cellMs: median(spent),
    leastMs: Math.min(...spent),
    mostMs: Math.max(...spent),
    perSecond: middle('perSecond'),
  }
}

function describeCost({ nodeMs, helpersMs, postgresMs, proxyMs, perSecond, ...spent }: Measured): string {
  const parts = `node ${nodeMs.toFixed(2)} + helpers ${helpersMs.toFixed(2)} + PostgreSQL ${postgresMs.toFixed(2)}`
  const spread = `${spent.leastMs.toFixed(2)} to ${spent.mostMs.toFixed(2)}`
  return `${spent.cellMs.toFixed(2)} ms (${spread}): ${parts}, HAProxy ${proxyMs.toFixed(2)} ms, ${Math.round(perSecond)}/s`
}
