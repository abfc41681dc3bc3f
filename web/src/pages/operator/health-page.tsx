import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { HealthAnswer } from '../../../../src/console/operator/operator.schemas.ts'
import { get } from '../../api/client.ts'
import { formatCount } from '../../ui/money.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { formatMoment } from '../../ui/when.tsx'
import { ago, formatBytes, formatSeconds } from './amounts.ts'
import { CellsSection } from './cells-section.tsx'
import { OperatorFrame } from './operator-frame.tsx'

/** The health of the installation: a summary, then figures. */
export function HealthPage() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => get<HealthAnswer>('/operator/health', {}, signal),
    refetchInterval: 10_000,
  })
  return (
    <OperatorFrame here="health">
      {health.isPending && <Loading />}
      {health.isError && <Failed error={health.error} retry={() => void health.refetch()} />}
      {health.isSuccess && <Parts health={health.data} />}
      <CellsSection />
    </OperatorFrame>
  )
}

function migrationState({ version, expected }: HealthAnswer['migrations']): {
  tone: 'good' | 'bad'
  state: string
} {
  if (version === expected) return { tone: 'good', state: 'Complete' }
  return { tone: 'bad', state: version < expected ? 'Missing' : 'Newer than this process: upgrade it' }
}

function Parts({ health }: { health: HealthAnswer }) {
  const { database, migrations, workers, backup, disk } = health
  return (
    <>
      <p className="faint">
        Bursar {health.version}, {health.mode}, this process does {ROLE_LABELS[health.role]}. It is{' '}
        {formatMoment(health.now)}.
      </p>
      <div className="stats">
        <Part
          label="Database"
          {...(database.connections.waiting > 0
            ? { tone: 'waiting', state: 'Busy' }
            : { tone: 'good', state: 'Available' })}
          note={`PostgreSQL ${database.version}, ${formatBytes(database.bytes)}, ${database.is_own ? 'embedded' : 'your own'}. Answered in ${database.answered_in_ms} ms.`}
        />
        <Part
          label="Migrations"
          {...migrationState(migrations)}
          note={`${migrations.version} of ${migrations.expected}, the last ${migrations.name}`}
        />
        <Part label="Workers" {...workerState(workers)} note={workerNote(workers)} />
        {backup !== undefined && (
          <Part
            label="Backups"
            {...(backup.is_late ? { tone: 'bad', state: 'Failing' } : { tone: 'good', state: 'Up to date' })}
            note={backupNote(backup)}
          />
        )}
        {disk !== undefined && (
          <Part
            label="Disk of the data folder"
            {...(disk.is_almost_full
              ? { tone: 'bad', state: 'Almost full' }
              : { tone: 'good', state: 'Enough space' })}
            note={`${formatBytes(disk.free_bytes)} free of ${formatBytes(disk.total_bytes)}`}
          />
        )}
      </div>
      <Numbers health={health} />
    </>
  )
}

function backupNote(backup: NonNullable<HealthAnswer['backup']>): string {
  const last =
    backup.last_at === undefined
      ? 'There is none yet.'
      : `The last good one ${ago(backup.last_at)}, ${formatBytes(backup.bytes)}; ${backup.kept} kept.`
  return backup.last_failure === undefined
    ? last
    : `${last} Failed ${ago(backup.last_failure.at)}: ${backup.last_failure.message}`
}

const ROLE_LABELS: Record<HealthAnswer['role'], string> = {
  all: 'everything',
  api: 'requests only',
  worker: 'background jobs only',
}

type Verdict = { tone: Tone; state: string }

function workerState({ is_behind: isBehind, runs_here: runsHere }: HealthAnswer['workers']): Verdict {
  if (isBehind) return { tone: 'bad', state: 'Behind' }
  return { tone: 'good', state: runsHere ? 'Running' : 'Running elsewhere' }
}

function workerNote(workers: HealthAnswer['workers']): string {
  if (workers.is_behind) return 'Something has been due for more than five minutes: see Jobs.'
  if (!workers.runs_here) return 'Nothing is late. Other processes do the background work.'
  const round = workers.last_round_at === undefined ? '' : `Last round ${ago(workers.last_round_at)}.`
  const failure =
    workers.last_failure === undefined
      ? ''
      : ` Last failure ${ago(workers.last_failure.at)}: ${workers.last_failure.message}`
  return round + failure
}

function Part({ label, tone, state, note }: Verdict & { label: string; note: string }) {
  return (
    <Figure label={label} note={note}>
      <StatusBadge tone={tone}>{state}</StatusBadge>
    </Figure>
  )
}

function Figure({ label, note, children }: { label: string; note?: string; children: ReactNode }) {
  return (
    <div className="stat">
      <div className="stat-label">{label}</div>
      <div className="stat-value">{children}</div>
      {note !== undefined && <div className="stat-note">{note}</div>}
    </div>
  )
}

function Numbers({ health: { numbers, database } }: { health: HealthAnswer }) {
  const { connections } = database
  return (
    <>
      <h2 className="section-title">This process since its start</h2>
      <div className="stats">
        <Figure label="Up for">{formatSeconds(numbers.up_seconds)}</Figure>
        <Figure label="Requests answered" note={`${formatCount(numbers.failures)} with 500 or more`}>
          {formatCount(numbers.requests)}
        </Figure>
        <Figure
          label="A request takes"
          {...(numbers.p95_ms === undefined ? {} : { note: `95 of 100 take less than ${numbers.p95_ms} ms` })}
        >
          {numbers.mean_ms === undefined ? '–' : `${numbers.mean_ms} ms`}
        </Figure>
        <Figure label="Memory">{formatBytes(numbers.memory_bytes)}</Figure>
        <Figure label="CPU used">{formatSeconds(numbers.cpu_seconds)}</Figure>
        <Figure label="Event loop lag" note="99 of 100 stay below">
          {numbers.event_loop_lag_ms} ms
        </Figure>
        <Figure
          label="Database connections"
          note={`${formatCount(connections.idle)} idle, ${formatCount(connections.waiting)} waited for`}
        >
          {formatCount(connections.total)}
        </Figure>
        <Figure label="Requests not logged" note="The log had no room, or the database was away">
          {formatCount(numbers.requests_not_logged)}
        </Figure>
      </div>
      <p className="faint spaced">
        A monitoring system reads all numbers of each process at <span className="mono">/metrics</span>.
      </p>
    </>
  )
}
