import { median, type Figure, type CountedRound } from '../figures.ts'
import { createOrder, loading, ORDERS_PATH } from '../orders.ts'
import { subscribe, takePayments } from '../payments/payments.ts'
import { openReceiver } from '../rig.ts'
import type { Size } from '../size.ts'
import { cpuOfTree, type Spent } from '../spent.ts'
import { openService, type BenchCell, type Service } from './service.ts'

/** CPU time of an act in its cell, and of the proxy before it. */
export type Cost = { nodeMs: number; helpersMs: number; postgresMs: number; proxyMs: number }

/** Of the rounds of one way to ask: the median of each part, and of what the cell spent the median and the spread. */
export type Measured = Cost & { cellMs: number; leastMs: number; mostMs: number; perSecond: number }

/** To what was spent in the same round by one installation that was asked straight. */
export type Ratio = { median: number; least: number; most: number }

export type CellFigures = {
  rounds: number
  payment: { straight: Measured; oneCell: Measured; twoCells: Measured }
  ratio: { oneCell: Ratio; twoCells: Ratio }
  read: Measured
}

const ROUNDS = 11
/** In each cell, however many there are: what a cell spends by itself is then the same part of a payment. */
export const PER_SECOND = 25
/** A payment in a cell costs what it costs on one machine. */
const MOST = 1.05

type CellRound = Cost & { perSecond: number }

/**
 * A family pays by the hosted page, with webhook, receipt and mail, until all of it is done: at an installation that is
 * asked straight, at one cell behind the proxy, and at two cells at once, each with as many payments a second. The rounds alternate, so
 * that what else the machine does hits all alike.
 */
export async function compareCells({ seconds, warmUpSeconds, rounds }: Size): Promise<CellFigures> {
  const service = await openService()
  const receiver = await openReceiver('plain')
  try {
    const { cells } = service
    for (const { server, headers } of cells) await subscribe(server, receiver.ports[0] ?? 0, headers)
    if (warmUpSeconds > 0) await behind(service, cells, warmUpSeconds)
    const found: Record<keyof CellFigures['payment'], CellRound[]> = {
      straight: [],
      oneCell: [],
      twoCells: [],
    }
    const count = rounds(ROUNDS)
    for (let round = 0; round < count; round++) {
      const alone = cells[round % cells.length]!
      found.straight.push(costOf([await pay(alone, seconds)], 0))
      found.oneCell.push(await behind(service, [alone], seconds))
      found.twoCells.push(await behind(service, cells, seconds))
    }
    const read = await readOrders(service, { seconds, rounds: Math.ceil(count / 2) })
    const ratioOf = (some: readonly CellRound[]): Ratio => {
      const ratios = some.map((one, index) => cellMs(one) / cellMs(found.straight[index] ?? one))
      return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
    }
    return {
      rounds: count,
      payment: {
        straight: summarize(found.straight),
        oneCell: summarize(found.oneCell),
        twoCells: summarize(found.twoCells),
      },
      ratio: { oneCell: ratioOf(found.oneCell), twoCells: ratioOf(found.twoCells) },
      read: summarize(read),
    }
  } finally {
    await receiver.close()
    await service.close()
  }
}

export async function measureCells(size: Size): Promise<Figure[]> {
  const { payment, ratio } = await compareCells(size)
  const figure = (name: string, one: Ratio, cost: Measured): Figure => ({
    name: `${name}: CPU of Bursar and PostgreSQL for a payment, of that without a proxy`,
    value: one.median,
    aim: { most: MOST },
    detail: `${one.least.toFixed(2)} to ${one.most.toFixed(2)}; ${describeCost(cost)}; straight ${describeCost(payment.straight)}`,
  })
  return [
    figure('One cell behind HAProxy', ratio.oneCell, payment.oneCell),
    figure('Two cells behind HAProxy', ratio.twoCells, payment.twoCells),
  ]
}

function pay({ server, headers }: BenchCell, seconds: number, origin = server.origin): Promise<CountedRound> {
  return takePayments('page', server, seconds, { origin, headers, beginPerSecond: PER_SECOND })
}

async function behind({ proxy }: Service, cells: readonly BenchCell[], seconds: number): Promise<CellRound> {
  const before = cpuOfTree(proxy.pid)
  const rounds = await Promise.all(cells.map(cell => pay(cell, seconds, proxy.url)))
  return costOf(rounds, cpuOfTree(proxy.pid) - before)
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
    found.push(costOf([await load(seconds)], cpuOfTree(proxy.pid) - before))
  }
  return found
}

/** Over all cells that were asked at once. */
function costOf(rounds: readonly CountedRound[], proxyMs: number): CellRound {
  const total = rounds.reduce((sum, { count }) => sum + count, 0)
  const share = (part: keyof Spent): number =>
    rounds.reduce((sum, { each, count }) => sum + each[part] * count, 0) / total
  const perSecond = rounds.reduce((sum, one) => sum + one.perSecond, 0)
  return {
    nodeMs: share('nodeMs'),
    helpersMs: share('helpersMs'),
    postgresMs: share('postgresMs'),
    proxyMs: proxyMs / total,
    perSecond,
  }
}

export const cellMs = ({ nodeMs, helpersMs, postgresMs }: Cost): number => nodeMs + helpersMs + postgresMs

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
