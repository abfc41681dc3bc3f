import { sampleOrder } from '../test/harness/samples.ts'
import type { Size } from './size.ts'
import { cpuMs, describeSpent, type Spent } from './spent.ts'

/** What a run found, and what it should be. A figure without an aim is for reading. */
export type Figure = { name: string; value: number; aim: Aim | null; detail: string }
export type Aim = { least: number } | { most: number }

export function isMet({ value, aim }: Figure): boolean {
  if (aim === null) return true
  return 'least' in aim ? value >= aim.least : value <= aim.most
}

export function describe(figure: Figure): string {
  const { name, value, aim, detail } = figure
  const verdict = aim === null ? '' : isMet(figure) ? 'ok' : 'SHORT'
  const wanted = aim === null ? '' : 'least' in aim ? `aim >= ${show(aim.least)}` : `aim <= ${show(aim.most)}`
  return `${verdict.padEnd(6)}${show(value).padStart(8)}  ${wanted.padEnd(12)}  ${name}: ${detail}`
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function show(value: number): string {
  return Number.isInteger(value) && value !== 1 ? String(value) : value.toFixed(2)
}

const ROUNDS = 11

/** One round: what each act spent, and beside it how many were done in a second. */
export type Round = { each: Spent; perSecond: number; note?: string }
export type CountedRound = Round & { count: number }
type Measure = (seconds: number) => Promise<Round>

/**
 * How much CPU time a peer spends on an act for each unit that we spend, everything counted that the act causes. The
 * rounds alternate, so that what else the machine does hits both alike; the spread says how far to trust the median.
 */
export async function compare(
  name: string,
  least: number,
  measures: Record<'bare' | 'full', Measure>,
  { seconds, warmUpSeconds, rounds }: Size,
): Promise<Figure> {
  if (warmUpSeconds > 0) {
    await measures.bare(warmUpSeconds)
    await measures.full(warmUpSeconds)
  }
  const bare: Round[] = []
  const full: Round[] = []
  for (let round = 0; round < rounds(ROUNDS); round++) {
    bare.push(await measures.bare(seconds))
    full.push(await measures.full(seconds))
  }
  const ratios = full.map(({ each }, index) => cpuMs(bare[index]?.each ?? each) / cpuMs(each))
  const spread = `${show(Math.min(...ratios))} to ${show(Math.max(...ratios))} in ${ratios.length} rounds`
  const rate = (some: readonly Round[]): number => Math.round(median(some.map(({ perSecond }) => perSecond)))
  const note = full.at(-1)?.note
  const detail = [
    spread,
    describeSpent(middle(full)),
    `against ${describeSpent(middle(bare))}`,
    `${rate(full)}/s against ${rate(bare)}/s`,
    ...(note === undefined ? [] : [note]),
  ].join('; ')
  return { name, value: median(ratios), aim: { least }, detail }
}

/** The round with the median cost. */
function middle(some: readonly Round[]): Spent {
  const sorted = some.map(({ each }) => each).toSorted((one, other) => cpuMs(one) - cpuMs(other))
  const spent = sorted[Math.floor(sorted.length / 2)]
  if (spent === undefined) throw new Error('nothing was measured')
  return spent
}

export function headersOf(key: string, secret: string): Record<string, string> {
  const encoded = Buffer.from(`${key}:${secret}`).toString('base64')
  return { authorization: `Basic ${encoded}`, 'content-type': 'application/json' }
}

export const HEADERS = headersOf('key_test_demo', 'secret_test_demo')

/** An order of two lines, for Bursar and its peer alike. */
export const ORDER_BODY = JSON.stringify(
  sampleOrder({
    details: [
      { component_type: 'TUITION_FEE', amount: 45000 },
      { component_type: 'TRANSPORT_FEE', amount: 6500.5 },
    ],
  }),
)
