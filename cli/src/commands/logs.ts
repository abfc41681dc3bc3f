import type { Command } from 'commander'
import type { LoggedCall } from '../../../sdk/node/src/index.ts'
import { addExamples, formatTimeOfDay, show, showLine } from '../../../src/cli/terminal.ts'
import { addApiOptions, isAway, withApi, type Api, type ApiOptions } from '../api.ts'
import { pause, untilStopped } from '../stopping.ts'

type Outcome = 'answered' | 'refused' | 'failed'

const POLL_MS = 1_000
/** A request is listed by when it came, and written down when it was answered: what took long appears behind others. */
const OVERLAP_MS = 60_000
const OWN_ROUTE = /\/erp\/requests(?:\/:request_id)?$/

export function addLogCommands(program: Command): void {
  const logs = program
    .command('logs')
    .description('the requests that came with your API key, of the last week')
  addExamples(logs, ['bursar-cli logs tail', 'bursar-cli logs show req_…'])

  const tail = logs
    .command('tail')
    .description('show each request as it is answered')
    .option('--refused', 'only those that were refused', false)
  addApiOptions(tail).action(runTail)
  addExamples(tail, ['bursar-cli logs tail --refused'])

  const one = logs
    .command('show')
    .description('show one by the X-Request-Id of its response')
    .argument('<request_id>', 'such as req_…')
  addApiOptions(one).action(runShow)
  addExamples(one, ['bursar-cli logs show req_01k9zq4m0ve8sbn6yt2hw3c5da'])
}

async function runShow(id: string, options: ApiOptions): Promise<void> {
  await withApi(options, async ({ bursar }) => {
    const request = await bursar.getApiRequest(id)
    show(request, describe(request))
  })
}

async function runTail({ refused, ...options }: ApiOptions & { refused: boolean }): Promise<void> {
  await withApi(options, api =>
    untilStopped(async signal => {
      let seen = new Set((await readRecent(api, signal)).map(({ id }) => id))
      showLine({ url: api.url, key_id: api.key }, `Requests with ${api.key} to ${api.url}. Ctrl-C ends.`)
      while (!signal.aborted) {
        await pause(POLL_MS, signal)
        const recent = await readRecent(api, signal, refused ? 'refused' : undefined).catch(
          (error: unknown) => {
            if (isAway(error)) return null
            throw error
          },
        )
        if (recent === null) continue
        for (const request of recent.toReversed())
          if (!seen.has(request.id)) showLine(request, describe(request))
        seen = new Set([...seen, ...recent.map(({ id }) => id)].slice(-10_000))
      }
    }),
  )
}

async function readRecent({ bursar }: Api, signal: AbortSignal, outcome?: Outcome): Promise<LoggedCall[]> {
  const from = new Date(Date.now() - OVERLAP_MS).toISOString()
  const { data } = await bursar.listApiRequests({ from, outcome, limit: 200 }, { signal }).page()
  return data.filter(({ route }) => !OWN_ROUTE.test(route))
}

function describe({ id, at, method, route, status, error_code, ms }: LoggedCall): string {
  const code = error_code === undefined ? '' : ` ${error_code}`
  return `${formatTimeOfDay(new Date(at))}  ${status}${code}  ${method} ${route}  ${ms} ms  ${id}`
}
