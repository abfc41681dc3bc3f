import { availableParallelism, release, totalmem, uptime } from 'node:os'
import type { Config } from '../config.ts'
import { readHealthHistory } from '../health-history.ts'
import { readVersion } from '../installation.ts'
import { findProblems, type Status } from '../status/status.rules.ts'
import { readStatus } from '../status/status.service.ts'
import { readTableSizes } from '../status/status.store.ts'
import { planUpgrade } from '../upgrade/upgrade.service.ts'
import { readFigures } from './support.client.ts'
import type { Database } from '../../platform/db/database.ts'
import { isUnavailable } from '../../platform/errors.ts'

export function describeMachine(): object {
  return {
    bursar: readVersion(),
    node: process.version,
    system: `${process.platform} ${process.arch} ${release()}`,
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    upSeconds: Math.round(uptime()),
  }
}

/** What the database tells of the installation; each part by itself, as one in trouble is what is asked about. */
export async function describeDatabase(
  config: Config,
  connected: { db: Database; server: string },
): Promise<object> {
  const { db } = connected
  const [status, history, schema, tables] = await Promise.all([
    attempt(async () => {
      const found = withoutAnswers(await readStatus(config, connected))
      return { ...found, problems: findProblems(found) }
    }),
    attempt(async () => (await readHealthHistory(db)).toReversed()),
    attempt(() => planUpgrade(config, db)),
    attempt(() => readTableSizes(db)),
  ])
  return { status, history, schema, tables }
}

/** A provider may answer with anything. */
function withoutAnswers(status: Status): Status {
  const accounts = status.accounts.map(one => ({
    ...one,
    problem: one.problem === null ? null : 'refused when it was last checked',
  }))
  return { ...status, accounts }
}

/** Asks the process that these settings start for its metrics. */
export async function describeFigures(config: Config): Promise<unknown> {
  const port = config.role === 'worker' ? config.workerPort : config.port
  const origin = config.tls === null ? `http://127.0.0.1:${port}` : config.publicUrl
  const figures = await attempt(() => readFigures(origin, config.metricsToken))
  return figures ?? 'not read: no process answers here, or METRICS_TOKEN is not set'
}

/** A failure is an answer too; of a database that is away an operator needs the reason. */
export async function attempt<Value>(look: () => Promise<Value>): Promise<Value | { failed: string }> {
  try {
    return await look()
  } catch (error) {
    const reason = isUnavailable(error) ? (error.cause ?? error) : error
    return { failed: reason instanceof Error ? reason.message : String(reason) }
  }
}
