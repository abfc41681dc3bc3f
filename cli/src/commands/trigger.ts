import type { Command } from 'commander'
import { EVENT_CODES, type SandboxTriggerEventRequest } from '../../../sdk/node/src/index.ts'
import { addExamples, InputError, show } from '../../../src/cli/terminal.ts'
import { addApiOptions, inSandbox, withApi, type Api, type ApiOptions } from '../api.ts'
import { RECIPES } from '../recipes.ts'
import { oneOf } from '../suggest.ts'

type Override = { path: string; value: string }
type TriggerOptions = ApiOptions & { branch?: string; override: Override[]; real: boolean }

/** A test delivery is sent by Test Webhook. */
export const TRIGGERED_CODES: readonly string[] = EVENT_CODES.filter(code => code !== 'webhook.test')

export function addTriggerCommand(program: Command): void {
  const trigger = program
    .command('trigger')
    .description('let a running sandbox record an event, and deliver it')
    .argument('<code>', 'event code', code => oneOf(code, TRIGGERED_CODES, 'an event code'))
    .option('--branch <code>', 'collector code; needed if the institute has several branches')
    .option(
      '--override <path=value>',
      'another value in the payload; may be given several times',
      addOverride,
      [],
    )
    .option(
      '--real',
      'do what causes it (payments, links, refunds, students), to a new order or student that you can read afterwards',
      false,
    )
  addApiOptions(trigger).action(runTrigger)
  addExamples(trigger, [
    'bursar-cli trigger pay.payment.debited',
    'bursar-cli trigger pay.payment.debited --override payment.amount=1234.50 --override order_id=order_…',
    'bursar-cli trigger refund.processed --real',
  ])
}

function addOverride(text: string, before: Override[]): Override[] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InputError(`"${text}" is not an override: write path=value.`)
  return [...before, { path: text.slice(0, equals), value: text.slice(equals + 1) }]
}

async function runTrigger(code: string, options: TriggerOptions): Promise<void> {
  await withApi(options, api =>
    inSandbox(api, () => (options.real ? makeReal(api, code, options) : makeUp(api, code, options))),
  )
}

async function makeUp({ bursar }: Api, code: string, { branch, override }: TriggerOptions): Promise<void> {
  const body: SandboxTriggerEventRequest = {
    event_code: code as SandboxTriggerEventRequest['event_code'],
    collector_code: branch,
    ...(override.length > 0 && { override }),
  }
  const path = '/api/v1/sandbox/events/trigger'
  const answer = await bursar.request({ method: 'POST', path, body })
  const data = answer.data as { event_id: string; event_code: string; subscriptions: number }
  const plural = data.subscriptions === 1 ? '' : 's'
  const outcome = answer.message ?? `It goes to ${data.subscriptions} subscription${plural}.`
  show(data, `Recorded ${data.event_code} as ${data.event_id}.\n${outcome}`)
}

async function makeReal({ bursar }: Api, code: string, { branch, override }: TriggerOptions): Promise<void> {
  if (override.length > 0) throw new InputError('--override changes a made-up event; a real one is as it is.')
  const recipe = RECIPES[code]
  if (recipe === undefined)
    throw new InputError(
      `${code} is not an event that --real can cause. Those are: ${Object.keys(RECIPES).join(', ')}.`,
    )
  const steps: { what: string; id: string }[] = []
  await recipe(bursar, { collector_code: branch }, (what, id) => steps.push({ what, id }))
  show({ event_code: code, steps }, steps.map(({ what, id }) => `${what} ${id}`).join('\n'))
}
