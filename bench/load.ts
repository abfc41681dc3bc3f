import autocannon from 'autocannon'

/** Loads one address from a process of its own, so that the server has a core to itself. Prints a JSON result. */
export type LoadPlan = {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  seconds: number
  connections: number
  /** Gives each request an Idempotency-Key of its own. */
  freshKeys?: boolean
}

export type LoadResult = { count: number; perSecond: number; p99Ms: number; failures: number }

const plan = JSON.parse(process.argv[2] ?? '{}') as LoadPlan
let key = 0
const result = await autocannon({
  url: plan.url,
  method: plan.method,
  headers: plan.headers,
  duration: plan.seconds,
  connections: plan.connections,
  ...(plan.body === undefined ? {} : { body: plan.body }),
  ...(plan.freshKeys === true
    ? {
        requests: [
          {
            method: plan.method,
            setupRequest: request => ({
              ...request,
              headers: { ...request.headers, 'idempotency-key': `bench-${process.pid}-${++key}` },
            }),
          },
        ],
      }
    : {}),
})
const answer: LoadResult = {
  count: result.requests.total,
  perSecond: result.requests.total / result.duration,
  p99Ms: result.latency.p99,
  failures: result.non2xx + result.errors + result.timeouts,
}
process.stdout.write(JSON.stringify(answer))
