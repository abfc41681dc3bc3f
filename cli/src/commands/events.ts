import type { Command } from 'commander'
import type { Delivery } from '../../../sdk/node/src/index.ts'
import { addExamples, InputError, formatTable, formatTime, show } from '../../../src/cli/terminal.ts'
import { addApiOptions, withApi, type ApiOptions } from '../api.ts'

export function addEventCommands(program: Command): void {
  const events = program.command('events').description('events that were recorded, and their deliveries')
  addExamples(events, ['bursar-cli events list', 'bursar-cli events resend evt_…'])

  const list = events
    .command('list')
    .description('the newest events')
    .option('--limit <number>', 'how many, up to 200', readLimit, 20)
  addApiOptions(list).action(runList)
  addExamples(list, ['bursar-cli events list --limit 5'])

  const resend = events
    .command('resend')
    .description('deliver an event once more to the subscriptions that it went to')
    .argument('<event_id>', 'such as evt_…')
    .option('--webhook <id>', 'only to this subscription')
  addApiOptions(resend).action(runResend)
  addExamples(resend, ['bursar-cli events resend evt_01k9zq4m0ve8sbn6yt2hw3c5da'])
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 200) return limit
  throw new InputError(`"${text}" is not a number from 1 to 200.`)
}

async function runList({ limit, ...options }: ApiOptions & { limit: number }): Promise<void> {
  await withApi(options, async ({ bursar }) => {
    const { data } = await bursar.listEvents({ limit }).page()
    const rows = data.map(one => [formatTime(new Date(one.timestamp * 1_000)), one.event, one.event_id])
    show(data, data.length === 0 ? 'No event yet.' : formatTable(['AT', 'EVENT', 'ID'], rows))
  })
}

async function runResend(
  event_id: string,
  { webhook, ...options }: ApiOptions & { webhook?: string },
): Promise<void> {
  await withApi(options, async ({ bursar }) => {
    const sent = await bursar.listDeliveries({ event_id, webhook_id: webhook }).toArray()
    // Of several deliveries to one subscription the newest is resent; lists begin with the newest.
    const last = [...new Map(sent.toReversed().map(one => [one.webhook_id, one])).values()]
    if (last.length === 0)
      throw new InputError(
        `There is no event ${event_id}, or no subscription got it, so there is none to resend to.`,
      )
    const again: Delivery[] = []
    for (const { id } of last) again.push(await bursar.redeliver(id))
    show(
      again,
      again.map(({ id, webhook_id }) => `${event_id} goes to ${webhook_id} again, as ${id}.`).join('\n'),
    )
  })
}
