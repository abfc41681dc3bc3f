import { Argument, type Command } from 'commander'
import { EVENT_CODES } from '../../events/codes.ts'
import { addApiOptions, openApi, type ApiOptions } from './api-client.ts'
import { addExamples } from '../help.ts'
import { readBranchCode } from '../input.ts'
import { show } from '../output.ts'

export function addTriggerCommand(program: Command): void {
  const trigger = program
    .command('trigger')
    .description('let a running sandbox record a made-up event, and deliver it')
    .addArgument(new Argument('<code>', 'event code').choices(EVENT_CODES))
    .option('--branch <code>', 'collector code; needed if the institute has several branches', readBranchCode)
  addApiOptions(trigger).action(runTrigger)
  addExamples(trigger, [
    'bursar trigger pay.payment.debited',
    'bursar trigger flex.instalment.bounced --key key_test_group --secret secret_test_group --branch NORTH',
  ])
}

type Answer = { data: { event_id: string; event_code: string; subscriptions: number }; message?: string }

async function runTrigger(event_code: string, options: ApiOptions & { branch?: string }): Promise<void> {
  const api = await openApi(options)
  try {
    const { data, message } = await api.post<Answer>('/api/v1/sandbox/events/trigger', {
      event_code,
      collector_code: options.branch,
    })
    const outcome =
      message ?? `It goes to ${data.subscriptions} subscription${data.subscriptions === 1 ? '' : 's'}.`
    show(data, `Recorded ${data.event_code} as ${data.event_id}.\n${outcome}`)
  } finally {
    await api.close()
  }
}
