import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { fullSize } from '../size.ts'
import { compareCells, PER_SECOND, type CellFigures } from './cells.ts'

/**
 * `node bench/cells/record.ts [SECONDS]`: measures payments in cells and keeps what it found in measured.json, from which
 * `node tools/sizing-guide.ts` writes its part of docs/operator/sizing.md.
 */
export type Recorded = CellFigures & {
  machine: string
  cores: number
  measuredOn: string
  paymentsPerSecond: number
}

const seconds = Number(process.argv[2] ?? '8')
const rounded = (_name: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value
const recorded: Recorded = {
  machine: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  measuredOn: new Date().toISOString().slice(0, 10),
  paymentsPerSecond: PER_SECOND,
  ...(await compareCells(fullSize(seconds))),
}
const text = `${JSON.stringify(recorded, rounded, 2)}\n`
writeFileSync(new URL('measured.json', import.meta.url), text)
process.stdout.write(text)
