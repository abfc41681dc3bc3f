import { test } from 'node:test'
import { WITHOUT_HAPROXY } from '../proxy.ts'
import { runCellsStorm, type Round } from './cells-storm.ts'

const ROUND: Round = [
  { school: 'ash-school', at: 'verify', afterMs: 20, trouble: { what: 'kill PostgreSQL', cell: 'south' } },
  { school: 'elm-school', at: 'leave', afterMs: 0, trouble: { what: 'kill the move' } },
]

test(
  'two cells behind a proxy, under load, while schools move and whatever runs is killed: nothing is lost or doubled, and nobody else notices',
  { skip: WITHOUT_HAPROXY },
  async t => {
    const { payments, refusals, pausesMs } = await runCellsStorm({ processes: 1, rounds: [ROUND], owner: t })
    t.diagnostic(`${payments} payments, ${refusals} requests sent again, pauses of ${pausesMs.join(', ')} ms`)
  },
)
