import type { IntegrationCheckAnswer } from '../../../../../src/sandbox/integration-check/integration-check.routes.ts'
import { formatCount } from '../../../ui/money.tsx'
import { StatusBadge, type Tone } from '../../../ui/status-badge.tsx'
import { formatMoment } from '../../../ui/when.tsx'

type CheckResult = IntegrationCheckAnswer['checks'][number]

const PARTS: Record<CheckResult['part'], string> = {
  fetch: 'Fetch-student endpoint',
  webhooks: 'Webhook receiver',
}

const OUTCOMES: Record<CheckResult['outcome'], { label: string; tone: Tone }> = {
  passed: { label: '✓ Passed', tone: 'good' },
  failed: { label: '✗ To mend', tone: 'bad' },
  unproven: { label: '? To look up', tone: 'waiting' },
  not_run: { label: '– Not run', tone: 'plain' },
}

export function CheckResults({ check }: { check: IntegrationCheckAnswer }) {
  const count = check.checks.filter(({ outcome }) => outcome === 'passed').length
  return (
    <section className="card" aria-label="Result">
      <h2 className="section-title">
        {formatCount(count)} of {formatCount(check.checks.length)} passed
      </h2>
      <p className="faint">{formatMoment(check.checked_at)}</p>
      {(['fetch', 'webhooks'] as const).map(part => {
        const results = check.checks.filter(one => one.part === part)
        return (
          results.length > 0 && (
            <section key={part} aria-label={PARTS[part]}>
              <h3 className="section-title">{PARTS[part]}</h3>
              <ul className="checks">
                {results.map(result => (
                  <Check key={result.code} result={result} />
                ))}
              </ul>
            </section>
          )
        )
      })}
    </section>
  )
}

function Check({ result: { title, outcome, message, calls } }: { result: CheckResult }) {
  const { label, tone } = OUTCOMES[outcome]
  return (
    <li>
      <p>
        <StatusBadge tone={tone}>{label}</StatusBadge> <strong>{title}</strong>
      </p>
      <p>{message}</p>
      {calls.length > 0 && (
        <details>
          <summary>What was sent and what came back</summary>
          {calls.map((call, index) => (
            <div key={index} className="spaced">
              <p className="mono">
                {call.method} {call.url}
              </p>
              <pre>{call.sent}</pre>
              <p>
                {call.http_status === undefined ? 'No answer' : `HTTP ${call.http_status}`} after{' '}
                {formatCount(call.duration_ms)} ms
              </p>
              {call.received !== '' && <pre>{call.received}</pre>}
            </div>
          ))}
        </details>
      )}
    </li>
  )
}
