import type { Command } from 'commander'
import type { Figures } from '../../flex/settings/figures.rules.ts'
import { listFigures, setFigures } from '../../flex/settings/debit-rules.service.ts'
import { addExamples } from '../terminal/help.ts'
import { InputError } from '../terminal/failures.ts'
import { formatTable, show } from '../terminal/output.ts'
import { withContext } from '../with-context.ts'

/** The figures of the rails, for the whole installation: banks and NPCI change them now and then. */
export function addFlexRulesCommands(flex: Command): void {
  const rules = flex
    .command('rules')
    .description('the figures by which debits are made, and their standards')
    .action(runShow)
  addExamples(rules, ['bursar flex rules'])

  const set = flex
    .command('set-rules')
    .description('change figures; what is not named stays')
    .argument('<name=value...>', 'such as upi_autopay.limit=20000', readFigure, [])
    .action(runSet)
  addExamples(set, [
    'bursar flex set-rules upi_autopay.limit=20000',
    'bursar flex set-rules enach.presentations=2 on_holiday=previous',
    'bursar flex set-rules upi_autopay.windows=00:00-10:00,13:00-17:00,21:30-24:00',
  ])
}

async function runShow(): Promise<void> {
  await withContext(async ctx => {
    const { now, standard } = await listFigures(ctx)
    const rows = Object.entries(now).map(([name, value]) => [name, value, standard[name] ?? ''])
    show(now, formatTable(['FIGURE', 'NOW', 'STANDARD'], rows))
  })
}

async function runSet(figures: [string, string][]): Promise<void> {
  await withContext(async ctx => {
    const now = await setFigures(ctx, Object.fromEntries(figures))
    const rows = figures.map(([name]) => [name, now[name] ?? ''])
    show(pick(now, figures), formatTable(['FIGURE', 'NOW'], rows))
  })
}

function pick(now: Figures, figures: readonly [string, string][]): Figures {
  return Object.fromEntries(figures.map(([name]) => [name, now[name] ?? '']))
}

function readFigure(text: string, before: [string, string][]): [string, string][] {
  const [, name, value] = /^([a-z_.]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InputError(`"${text}" is not a figure: write one such as upi_autopay.limit=20000.`)
  return [...before, [name, value]]
}
