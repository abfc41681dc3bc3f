import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { LoanContext } from '../../loans/context.ts'
import { ok, page } from '../../http/envelope.ts'
import { readKeyNumbers, type KeyNumbers } from '../../http/metrics/key-numbers.ts'
import type { Metrics } from '../../http/metrics/metrics.ts'
import { CHANNELS } from '../../messages/messages.rules.ts'
import type { Provider } from '../../providers/port.ts'
import type { BackupState } from '../../platform/backup/schedule.ts'
import { auditView } from '../audit/audit.routes.ts'
import { AuditQuery, AuditView } from '../audit/audit.schemas.ts'
import { listAudit, NO_INSTITUTE } from '../audit/audit.service.ts'
import type { RequestLog } from '../developers/requests.service.ts'
import { addOperatorRead } from '../auth/access.routes.ts'
import { HealthView, ProvidersView, type HealthAnswer, type ProvidersAnswer } from './health.schemas.ts'
import { readHealth, type Health, type Installation } from './health.service.ts'

/** What the process knows of itself. */
export type Watched = { installation: Installation; metrics: Metrics; requestLog: RequestLog }

export function operatorHealthRoutes(app: FastifyInstance, ctx: LoanContext, watched: Watched): void {
  const { installation, metrics, requestLog } = watched
  addOperatorRead(app, ctx, {
    url: '/health',
    docs: {
      operationId: 'consoleGetHealth',
      summary: "Read the installation's health",
      description: 'Database, migrations, workers, backups, disk and the numbers people look at first.',
      data: HealthView,
    },
    async answer() {
      const [health, numbers] = await Promise.all([readHealth(ctx, installation), readKeyNumbers(metrics)])
      return ok({
        version: installation.version,
        mode: ctx.mode,
        role: installation.role,
        now: ctx.clock.now().toISOString(),
        ...healthView(health, installation),
        numbers: numbersView(numbers, requestLog.dropped),
      } satisfies HealthAnswer)
    },
  })
  addOperatorRead(app, ctx, {
    url: '/providers',
    docs: {
      operationId: 'consoleGetProviders',
      summary: 'Read what is set up',
      description: 'Through what money moves, where loans come from and how people are told. Never a secret.',
      data: ProvidersView,
    },
    answer: async () => ok(providersView(ctx, installation)),
  })
  addOperatorRead(app, ctx, {
    url: '/audit',
    docs: {
      operationId: 'consoleListInstallationAudit',
      summary: "Read the installation's audit log",
      description: 'What was done to institutes, holidays and accounts, the newest first.',
      data: Type.Array(AuditView),
      isList: true,
    },
    query: AuditQuery,
    async answer({ query: { who, what, about, from, to, cursor, limit = 50 } }) {
      const filter = { actorId: who, what, about, from, before: to }
      const { rows, nextCursor } = await listAudit(ctx, NO_INSTITUTE, filter, { cursor, limit })
      return page(rows.map(auditView), nextCursor)
    },
  })
}

function healthView(
  health: Health,
  { hasOwnDatabase, backups }: Installation,
): Pick<HealthAnswer, 'database' | 'migrations' | 'workers' | 'backup' | 'disk'> {
  const { database, connections, migrations, worker, disk } = health
  return {
    database: {
      version: database.version,
      is_own: hasOwnDatabase,
      bytes: database.bytes,
      answered_in_ms: round(database.answeredInMs),
      started_at: database.startedAt.toISOString(),
      connections,
    },
    migrations: {
      version: migrations.version,
      expected: migrations.expected,
      name: migrations.name,
      applied_at: migrations.appliedAt.toISOString(),
    },
    workers: {
      runs_here: worker !== null,
      is_behind: health.isBehind,
      ...(worker === null || worker.lastRoundAt === null
        ? {}
        : { last_round_at: worker.lastRoundAt.toISOString() }),
      ...(worker === null || worker.lastFailure === null
        ? {}
        : { last_failure: { at: worker.lastFailure.at.toISOString(), message: worker.lastFailure.message } }),
    },
    ...(backups === null ? {} : { backup: backupView(backups.state) }),
    ...(disk === null
      ? {}
      : {
          disk: {
            free_bytes: disk.freeBytes,
            total_bytes: disk.totalBytes,
            is_almost_full: disk.isAlmostFull,
          },
        }),
  }
}

function backupView({ lastAt, lastBytes, kept, nextAt, isLate, lastFailure }: BackupState) {
  return {
    ...(lastAt === null ? {} : { last_at: lastAt.toISOString() }),
    bytes: lastBytes,
    kept,
    next_at: nextAt.toISOString(),
    is_late: isLate,
    ...(lastFailure === null
      ? {}
      : { last_failure: { at: lastFailure.at.toISOString(), message: lastFailure.message } }),
  }
}

function numbersView(numbers: KeyNumbers, requestsNotLogged: number): HealthAnswer['numbers'] {
  return {
    up_seconds: Math.round(numbers.upSeconds),
    requests: numbers.requests,
    failures: numbers.failures,
    ...(numbers.meanMs === null ? {} : { mean_ms: round(numbers.meanMs) }),
    ...(numbers.p95Ms === null ? {} : { p95_ms: round(numbers.p95Ms) }),
    memory_bytes: numbers.memoryBytes,
    cpu_seconds: round(numbers.cpuSeconds),
    event_loop_lag_ms: round(numbers.eventLoopLagMs),
    requests_not_logged: requestsNotLogged,
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function providersView(ctx: LoanContext, { channels, providerKeys }: Installation): ProvidersAnswer {
  return {
    mode: ctx.mode,
    payments: [...ctx.providers].map(([name, provider]) => ({
      name,
      is_current: name === ctx.currentProvider,
      does: dutiesOf(provider),
      ...(providerKeys[name] === undefined ? {} : { key: providerKeys[name] }),
    })),
    lenders: [...ctx.lenders].map(([name, { title }]) => ({
      name: title,
      is_current: name === ctx.currentLender,
      does: ['loans'],
    })),
    channels: CHANNELS.map(channel => {
      const by = channels[channel]
      return { channel, ...(by === null ? {} : { by }) }
    }),
  }
}

function dutiesOf({ mandates, transfers }: Provider): string[] {
  return [
    'payments',
    ...(mandates === undefined ? [] : ['mandates']),
    ...(transfers === undefined ? [] : ['transfers of lenders']),
  ]
}
