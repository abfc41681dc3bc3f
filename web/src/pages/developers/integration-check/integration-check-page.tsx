import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { IntegrationCheckAnswer } from '../../../../../src/sandbox/integration-check/integration-check.routes.ts'
import { ApiError, get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath, useMay, useSession } from '../../../api/session.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { formatMoment } from '../../../ui/when.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useBranches } from '../use-branches.ts'
import { CheckForm, type WantedCheck } from './form.tsx'
import { CheckResults } from './results.tsx'

/** What an integration must do, tried at the ERP's own addresses. */
export function IntegrationCheckPage() {
  const isSandbox = useSession()?.mode === 'sandbox'
  return (
    <DevelopersFrame here="integration-check">
      {isSandbox ? (
        <IntegrationCheck />
      ) : (
        <Empty
          title="This is live"
          description="An integration is checked in a sandbox, with made-up payments."
        />
      )}
    </DevelopersFrame>
  )
}

function IntegrationCheck() {
  const path = `${useInstitutePath()}/sandbox/integration-check`
  const mayCheck = useMay('owner', 'developer', 'operator')
  const [branch, setBranch] = useState<string>()
  const [first] = useBranches()
  const collectorCode = branch ?? first?.collector_code
  const latest = useQuery({
    queryKey: ['integration-check', path, collectorCode],
    queryFn: async ({ signal }) => readLatest(path, { collector_code: collectorCode }, signal),
    enabled: collectorCode !== undefined,
  })
  const certificate = useQuery({
    queryKey: ['integration-check', path, collectorCode, 'passed'],
    queryFn: async ({ signal }) =>
      readLatest(path, { collector_code: collectorCode, outcome: 'passed' }, signal),
    enabled: collectorCode !== undefined,
  })
  const check = useCommand<WantedCheck, IntegrationCheckAnswer>({
    method: 'POST',
    path,
    refreshes: ['integration-check'],
  })
  return (
    <>
      <p>
        Takes your integration through what it has to do, at your own addresses: the fetch-student endpoint in
        all its answers, and your webhook receiver with genuine and false deliveries, repeats, retries, the
        wrong order, a refund and a skipped instalment. The payments are made up.{' '}
        <a href="/docs/guides/integration-check" target="_blank" rel="noreferrer">
          What each check does&nbsp;↗
        </a>
      </p>
      {certificate.data && (
        <section className="card" aria-label="Certificate">
          <h2 className="section-title">This integration is complete</h2>
          <p>
            Every check passed on {formatMoment(certificate.data.checked_at)}, against version{' '}
            {certificate.data.document_version} of the API.{' '}
            <span className="mono faint">{certificate.data.id}</span>
          </p>
        </section>
      )}
      {mayCheck && <CheckForm check={check} branch={collectorCode} onBranch={setBranch} />}
      <Problem error={check.error} />
      <div aria-live="polite">
        {check.isPending && <p role="status">Checking. This takes a minute and a half at most.</p>}
        {latest.isLoading && <Loading />}
        {latest.isError && <Failed error={latest.error} retry={() => void latest.refetch()} />}
        {!check.isPending && latest.data && <CheckResults check={latest.data} />}
      </div>
    </>
  )
}

/** Null before the first check. */
async function readLatest(
  path: string,
  query: { collector_code?: string | undefined; outcome?: string },
  signal: AbortSignal,
): Promise<IntegrationCheckAnswer | null> {
  try {
    return await get<IntegrationCheckAnswer>(path, query, signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}
