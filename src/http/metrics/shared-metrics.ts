import { setTimeout as wait } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Calls } from '../../platform/call-counts.ts'

const CALLS = [
  {
    of: 'providers',
    name: 'bursar_provider_calls_total',
    label: 'account',
    help: 'Calls to payment providers',
  },
  { of: 'erps', name: 'bursar_erp_calls_total', label: 'institute', help: 'Calls to ERPs of schools' },
  { of: 'messages', name: 'bursar_message_tries_total', label: 'channel', help: 'Tries to send a message' },
] as const

/** Of this process: answered, refused with a reason, or failed. */
export function addCallMetrics(registry: Registry, calls: Calls): void {
  for (const { of, name, label, help } of CALLS) {
    const counter = new Counter({
      name,
      help: `${help}, by what came of it`,
      labelNames: [label, 'outcome'],
      registers: [],
      collect() {
        counter.reset()
        for (const { called, outcome, count } of calls[of].all)
          counter.inc({ [label]: called, outcome }, count)
      },
    })
    registry.registerMetric(counter)
  }
}

const LIMIT_MS = 3_000

/**
 * Without a database there are no such figures; the others are wanted then most of all. One that does not even refuse must
 * not keep the page beyond the patience of who reads it.
 */
export async function unlessAway(
  read: () => Promise<ReadonlyMap<string, number>>,
): Promise<ReadonlyMap<string, number>> {
  const nothing = new Map<string, number>()
  const late = new AbortController()
  try {
    return await Promise.race([read(), wait(LIMIT_MS, nothing, { signal: late.signal })])
  } catch {
    return nothing
  } finally {
    late.abort()
  }
}

/** A figure that is the same for all processes over one database. */
export type SharedFigure = {
  name: string
  help: string
  label?: string
  /** By the value of the label, or by '' where there is none. */
  read: () => Promise<ReadonlyMap<string, number>>
}

export function addSharedFigures(registry: Registry, figures: readonly SharedFigure[]): void {
  for (const { name, help, label, read } of figures) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [],
      async collect() {
        const values = await unlessAway(read)
        gauge.reset()
        if (label === undefined && values.size === 0) gauge.remove()
        for (const [key, value] of values) gauge.set(label === undefined ? {} : { [label]: key }, value)
      },
    })
    registry.registerMetric(gauge)
  }
}
