import { Counter, Gauge, type Registry } from 'prom-client'
import { unlessAway } from './shared-metrics.ts'
import type { JobRunner, JobStatus } from '../../platform/jobs/job-runner.ts'

type Figure = { name: string; help: string; read: (status: JobStatus) => number | null }

const GAUGES: readonly Figure[] = [
  {
    name: 'bursar_job_last_run_timestamp_seconds',
    help: 'When a job last ran in this process',
    read: ({ lastRunAt }) => (lastRunAt === null ? null : lastRunAt.getTime() / 1_000),
  },
  {
    name: 'bursar_job_duration_seconds',
    help: 'How long the last row or batch of a job took',
    read: ({ lastDurationMs }) => (lastDurationMs === null ? null : lastDurationMs / 1_000),
  },
  {
    name: 'bursar_job_failures_in_a_row',
    help: 'Failures of a job since its last success',
    read: ({ failuresInARow }) => failuresInARow,
  },
  {
    name: 'bursar_job_abandoned',
    help: 'Rows and batches that passed their time limit and have not ended yet',
    read: ({ abandoned }) => abandoned,
  },
]

const COUNTERS: readonly Figure[] = [
  { name: 'bursar_job_rows_total', help: 'Rows that a job has worked on', read: ({ rows }) => rows },
  {
    name: 'bursar_job_failures_total',
    help: 'Rows, batches and runs of a job that failed',
    read: ({ failures }) => failures,
  },
]

/** The figures of this process, and how long the oldest row has been due, whichever process is to do it. */
export function addJobMetrics(registry: Registry, jobs: JobRunner): void {
  const metric = { labelNames: ['job'], registers: [] }
  for (const { name, help, read } of GAUGES) {
    const collect = (): void => {
      for (const status of jobs.statuses) {
        const value = read(status)
        if (value !== null) gauge.set({ job: status.name }, value)
      }
    }
    const gauge = new Gauge({ ...metric, name, help, collect })
    registry.registerMetric(gauge)
  }
  for (const { name, help, read } of COUNTERS) {
    const collect = (): void => {
      counter.reset()
      for (const status of jobs.statuses) counter.inc({ job: status.name }, read(status) ?? 0)
    }
    const counter = new Counter({ ...metric, name, help, collect })
    registry.registerMetric(counter)
  }
  const oldest = new Gauge({
    ...metric,
    name: 'bursar_job_oldest_due_seconds',
    help: 'For how long the oldest row of a job has been due; 0 when nothing is due',
    async collect() {
      const ages = await unlessAway(() => jobs.oldestDueMs())
      oldest.reset()
      for (const [job, ms] of ages) oldest.set({ job }, ms / 1_000)
    },
  })
  registry.registerMetric(oldest)
}
