import { sampleOrder } from '../test/harness/samples.ts'
import type { Size } from './size.ts'

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

/**
 * A ratio measured in one run against a peer: the rounds alternate, so that what else the machine does hits both
 * alike. Each measure loads for so many seconds and answers how many it did per second.
 */
export async function compare(
  name: string,
  least: number,
  measures: Record<'bare' | 'full', (seconds: number) => Promise<number>>,
  { seconds, warmUpSeconds, rounds }: Size,
): Promise<Figure> {
  const bare: number[] = []
  const full: number[] = []
  if (warmUpSeconds > 0) {
    await measures.bare(warmUpSeconds)
    await measures.full(warmUpSeconds)
  }
  for (let round = 0; round < rounds(ROUNDS); round++) {
    bare.push(await measures.bare(seconds))
    full.push(await measures.full(seconds))
  }
  const value = median(full.map((rate, index) => rate / (bare[index] ?? 1)))
  const detail = `${Math.round(median(full))}/s against ${Math.round(median(bare))}/s`
  return { name, value, aim: { least }, detail }
}

const DEMO_KEY = Buffer.from('key_test_demo:secret_test_demo').toString('base64')
export const HEADERS = { authorization: `Basic ${DEMO_KEY}`, 'content-type': 'application/json' }

/** An order of two lines, for Bursar and its peer alike. */
export const ORDER_BODY = JSON.stringify(
  sampleOrder({
    details: [
      { component_type: 'TUITION_FEE', amount: 45000 },
      { component_type: 'TRANSPORT_FEE', amount: 6500.5 },
    ],
  }),
)
