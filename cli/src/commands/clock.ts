import type { Command } from 'commander'
import { addExamples, InputError, formatTable, formatTime, show } from '../../../src/cli/terminal.ts'
import { addApiOptions, inSandbox, withApi, type Api, type ApiOptions } from '../api.ts'

/** A year of instalments for a whole school is a lot to do before the answer. */
const MOVE = { timeoutMs: 10 * 60_000 }

type ClockAnswer = { now: string; summary?: object }

export function addClockCommands(program: Command): void {
  const clock = program.command('clock').description("a running sandbox's clock, which only moves forward")
  addExamples(clock, [
    'bursar-cli clock show',
    'bursar-cli clock advance P1M',
    'bursar-cli clock to 2027-01-05T09:00:00+05:30',
  ])

  const shown = clock.command('show').description('show what time it is in the sandbox')
  addApiOptions(shown).action((options: ApiOptions) => ask(options, ({ bursar }) => bursar.getSandboxClock()))
  addExamples(shown, ['bursar-cli clock show'])

  const advance = clock
    .command('advance')
    .description('move it, and let everything happen that falls due on the way')
    .argument('<duration>', 'ISO 8601: P1D a day, P1M a month, PT6H six hours', readDuration)
  addApiOptions(advance).action((duration: string, options: ApiOptions) =>
    ask(options, ({ bursar }) => bursar.moveSandboxClock({ advance: duration }, MOVE)),
  )
  addExamples(advance, ['bursar-cli clock advance P1D', 'bursar-cli clock advance P1Y'])

  const to = clock
    .command('to')
    .description('the same, to a moment')
    .argument('<moment>', 'ISO 8601; Indian time without an offset', readMoment)
  addApiOptions(to).action((moment: string, options: ApiOptions) =>
    ask(options, ({ bursar }) => bursar.moveSandboxClock({ to: moment }, MOVE)),
  )
  addExamples(to, ['bursar-cli clock to 2027-01-05T09:00:00+05:30', 'bursar-cli clock to 2027-01-05T09:00'])
}

async function ask(options: ApiOptions, act: (api: Api) => Promise<ClockAnswer>): Promise<void> {
  await withApi(options, async api => {
    const clock = await inSandbox(api, () => act(api))
    const time = `It is ${formatTime(new Date(clock.now))} in the sandbox.`
    show(clock, clock.summary === undefined ? time : `${time}\n${describe(clock.summary)}`)
  })
}

function describe(summary: object): string {
  const rows = Object.entries(summary as Record<string, number>)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [name.replaceAll('_', ' '), String(count)])
  return rows.length === 0 ? 'Nothing fell due.' : formatTable(['DONE ON THE WAY', 'COUNT'], rows)
}

/** What it means, Bursar knows better; this catches what would be read as something else, such as an option. */
function readDuration(text: string): string {
  if (/^P(?=.)(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$/i.test(text)) return text
  throw new InputError(`"${text}" is not a duration: write one such as P1D, P1M or PT6H.`)
}

function readMoment(text: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/i.test(text) && !Number.isNaN(Date.parse(text))) return text
  throw new InputError(`"${text}" is not a moment: write one such as 2027-01-05T09:00:00+05:30.`)
}
