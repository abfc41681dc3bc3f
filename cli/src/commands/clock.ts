import type { Command } from 'commander'
import { parseMoment } from '../../platform/calendar.ts'
import { addApiOptions, openApi, type ApiClient, type ApiOptions } from './api-client.ts'
import { addExamples } from '../help.ts'
import { InputError } from '../input.ts'
import { formatTable, formatTime, show } from '../output.ts'

const CLOCK = '/api/v1/sandbox/clock'

/** A year of instalments for a whole school is a lot to do before the answer. */
const MOVE_TIMEOUT_MS = 10 * 60_000

type Answer = { data: { now: string; summary?: Record<string, number> } }

export function addClockCommands(program: Command): void {
  const clock = program.command('clock').description("a running sandbox's clock, which only moves forward")
  addExamples(clock, [
    'bursar clock show',
    'bursar clock advance P1M',
    'bursar clock to 2027-01-05T09:00:00+05:30',
  ])

  const shown = clock.command('show').description('show what time it is in the sandbox')
  addApiOptions(shown).action((options: ApiOptions) => ask(options, api => api.get<Answer>(CLOCK)))
  addExamples(shown, ['bursar clock show'])

  const advance = clock
    .command('advance')
    .description('move it, and let everything happen that falls due on the way')
    .argument('<duration>', 'ISO 8601: P1D a day, P1M a month, PT6H six hours', readDuration)
  addApiOptions(advance).action((duration: string, options: ApiOptions) =>
    ask(options, api => api.post<Answer>(CLOCK, { advance: duration }, MOVE_TIMEOUT_MS)),
  )
  addExamples(advance, ['bursar clock advance P1D', 'bursar clock advance P1Y'])

  const to = clock
    .command('to')
    .description('the same, to a moment')
    .argument('<moment>', 'ISO 8601; Indian time without an offset', readMoment)
  addApiOptions(to).action((moment: Date, options: ApiOptions) =>
    ask(options, api => api.post<Answer>(CLOCK, { to: moment.toISOString() }, MOVE_TIMEOUT_MS)),
  )
  addExamples(to, ['bursar clock to 2027-01-05T09:00:00+05:30', 'bursar clock to 2027-01-05T09:00'])
}

async function ask(options: ApiOptions, act: (api: ApiClient) => Promise<Answer>): Promise<void> {
  const api = await openApi(options)
  try {
    const { data } = await act(api)
    const time = `It is ${formatTime(new Date(data.now))} in the sandbox.`
    show(data, data.summary === undefined ? time : `${time}\n${describe(data.summary)}`)
  } finally {
    await api.close()
  }
}

function describe(summary: Record<string, number>): string {
  const rows = Object.entries(summary)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [name.replaceAll('_', ' '), String(count)])
  return rows.length === 0 ? 'Nothing fell due.' : formatTable(['DONE ON THE WAY', 'COUNT'], rows)
}

function readDuration(text: string): string {
  try {
    Temporal.Duration.from(text)
    return text
  } catch {
    throw new InputError(`"${text}" is not a duration: write one such as P1D, P1M or PT6H.`)
  }
}

function readMoment(text: string): Date {
  const moment = parseMoment(text)
  if (moment !== null) return moment
  throw new InputError(`"${text}" is not a moment: write one such as 2027-01-05T09:00:00+05:30.`)
}
