import type { Command } from 'commander'
import type { FlexSettings } from '../../flex/rules/schedule.rules.ts'
import {
  getFlexSettings,
  setFlexSettings,
  listFigures,
  setFigures,
} from '../../flex/settings/settings.service.ts'
import { getInstitute } from '../../institutes/institutes.service.ts'
import { addExamples, InputError, show, formatTable } from '../terminal.ts'
import { readInstituteCode, readName } from '../operator-input.ts'
import { withContext } from '../with-database.ts'
import type { Figures } from '../../flex/settings/figures.rules.ts'

export function addFlexCommands(program: Command): void {
  const flex = program.command('flex').description('the instalment plan that an institute offers by default')
  addExamples(flex, ['bursar flex show green-park', 'bursar flex set green-park --instalments 12'])

  const shown = flex
    .command('show')
    .description('show the default plan')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .action(runShow)
  addExamples(shown, ['bursar flex show green-park'])

  const set = flex
    .command('set')
    .description('change the default plan; what is not given stays, and so do plans that were made')
    .argument('<institute>', "the institute's code", readInstituteCode)
    .option('--product-name <name>', 'as parents know it', readName)
    .option('--instalments <number>', 'how many, monthly: 1 to 36', readWhole)
    .option('--day-of-month <day>', 'when they are due: 1 to 28', readWhole)
    .option('--downpayment-percent <percent>', 'what is paid at set-up: 0 (nothing) to 90', readWhole)
    .option(
      '--offered <numbers>',
      'other numbers of instalments that parents may choose: 3,6 or none',
      readOffered,
    )
    .option(
      '--charge-components <codes>',
      'fees that parents are asked about for single charges: PICNIC_FEE,EXAM_FEE or none',
      readCodes,
    )
    .action(runSet)
  addFlexRulesCommands(flex)
  addExamples(set, [
    'bursar flex set green-park --instalments 12 --day-of-month 5',
    'bursar flex set green-park --product-name "Pay monthly" --downpayment-percent 10',
  ])
}

async function runShow(code: string): Promise<void> {
  await withContext(async ctx => {
    const settings = await getFlexSettings(ctx, await getInstitute(ctx, code))
    show(toJson(settings), describe(code, settings))
  })
}

async function runSet(code: string, options: Partial<FlexSettings>): Promise<void> {
  if (Object.keys(options).length === 0)
    throw new InputError('Say what to change: see bursar flex set --help.')
  await withContext(async ctx => {
    const settings = await setFlexSettings(ctx, await getInstitute(ctx, code), options)
    show(toJson(settings), describe(code, settings))
  })
}

function describe(code: string, settings: FlexSettings): string {
  const { productName, instalments, dayOfMonth, downpaymentPercent, offered, chargeComponents } = settings
  const down = downpaymentPercent === 0 ? 'no down payment' : `${downpaymentPercent} % down at set-up`
  const often = instalments === 1 ? '1 instalment' : `${instalments} monthly instalments`
  const others = offered.length === 0 ? '' : `; parents may also choose ${offered.join(', ')}`
  const charges =
    chargeComponents.length === 0 ? '' : ` Single charges that are asked for: ${chargeComponents.join(', ')}.`
  return `Default plan of ${code}: "${productName}", ${down}, ${often}, due on day ${dayOfMonth} of the month${others}.${charges}`
}

function toJson(settings: FlexSettings): object {
  return {
    product_name: settings.productName,
    instalments: settings.instalments,
    day_of_month: settings.dayOfMonth,
    downpayment_percent: settings.downpaymentPercent,
    offered: settings.offered,
    charge_components: settings.chargeComponents,
  }
}

function readOffered(text: string): number[] {
  return text === 'none' ? [] : text.split(',').map(part => readWhole(part.trim()))
}

function readCodes(text: string): string[] {
  return text === 'none' ? [] : text.split(',').map(part => part.trim())
}

function readWhole(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new InputError(`"${text}" is not a whole number.`)
}

/** The figures of the rails, for the whole installation: banks and NPCI change them now and then. */
function addFlexRulesCommands(flex: Command): void {
  const rules = flex
    .command('rules')
    .description('the figures by which debits are made, and their standards')
    .action(showRules)
  addExamples(rules, ['bursar flex rules'])

  const set = flex
    .command('set-rules')
    .description('change figures; what is not named stays')
    .argument('<name=value...>', 'such as upi_autopay.limit=20000', readFigure, [])
    .action(setRules)
  addExamples(set, [
    'bursar flex set-rules upi_autopay.limit=20000',
    'bursar flex set-rules enach.presentations=2 on_holiday=previous',
    'bursar flex set-rules upi_autopay.windows=00:00-10:00,13:00-17:00,21:30-24:00',
  ])
}

async function showRules(): Promise<void> {
  await withContext(async ctx => {
    const { now, standard } = await listFigures(ctx)
    const rows = Object.entries(now).map(([name, value]) => [name, value, standard[name] ?? ''])
    show(now, formatTable(['FIGURE', 'NOW', 'STANDARD'], rows))
  })
}

async function setRules(figures: [string, string][]): Promise<void> {
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
