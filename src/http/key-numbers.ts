import type { Histogram, Registry } from 'prom-client'

/** The few numbers of /metrics that a person looks at first, of this process since its start. */
export type KeyNumbers = {
  upSeconds: number
  requests: number
  /** Answered with 500 or more. */
  failures: number
  meanMs: number | null
  /** Estimated within its bucket, as the monitoring system would. */
  p95Ms: number | null
  memoryBytes: number
  cpuSeconds: number
  eventLoopLagMs: number
}

type Measured = { registry: Registry; requestSeconds: Histogram<'method' | 'route' | 'status'> }

export async function readKeyNumbers({ registry, requestSeconds }: Measured): Promise<KeyNumbers> {
  // Some of the process's own numbers are filled in while others are collected.
  await registry.getMetricsAsJSON()
  const { values } = await requestSeconds.get()
  const sumOf = (suffix: string, isMeant: (status: number) => boolean = () => true): number =>
    values
      .filter(
        ({ metricName, labels }) => metricName?.endsWith(suffix) === true && isMeant(Number(labels.status)),
      )
      .reduce((sum, { value }) => sum + value, 0)
  const requests = sumOf('_count')
  const one = async (name: string): Promise<number> => {
    const metric = await registry.getSingleMetric(name)?.get()
    return metric?.values[0]?.value ?? 0
  }
  return {
    upSeconds: process.uptime(),
    requests,
    failures: sumOf('_count', status => status >= 500),
    meanMs: requests === 0 ? null : (sumOf('_sum') / requests) * 1_000,
    p95Ms: requests === 0 ? null : quantile(bucketsOf(values), 0.95) * 1_000,
    memoryBytes: await one('process_resident_memory_bytes'),
    cpuSeconds: await one('process_cpu_seconds_total'),
    eventLoopLagMs: (await one('nodejs_eventloop_lag_p99_seconds')) * 1_000,
  }
}

type Values = Awaited<ReturnType<Measured['requestSeconds']['get']>>['values']
type Bucket = { upTo: number; count: number }

/** Over all routes; each counts whatever took no longer than its bound. */
function bucketsOf(values: Values): Bucket[] {
  const byBound = new Map<number, number>()
  for (const { metricName, labels, value } of values) {
    if (metricName?.endsWith('_bucket') !== true) continue
    const { le } = labels as { le?: number | string }
    const bound = le === '+Inf' ? Infinity : Number(le)
    byBound.set(bound, (byBound.get(bound) ?? 0) + value)
  }
  return [...byBound].map(([upTo, count]) => ({ upTo, count })).sort((a, b) => a.upTo - b.upTo)
}

/** Seconds; beyond the last bound there is nothing to tell but that bound. */
export function quantile(buckets: readonly Bucket[], share: number): number {
  const wanted = (buckets.at(-1)?.count ?? 0) * share
  let below: Bucket = { upTo: 0, count: 0 }
  for (const bucket of buckets) {
    if (bucket.count >= wanted) {
      if (bucket.upTo === Infinity || bucket.count === below.count) return below.upTo
      return below.upTo + ((bucket.upTo - below.upTo) * (wanted - below.count)) / (bucket.count - below.count)
    }
    below = bucket
  }
  return below.upTo
}
