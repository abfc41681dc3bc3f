import { Button, Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { RequestAnswer } from '../../../../src/request-log/request.list.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { RawJson, Summary } from '../../ui/detail.tsx'
import { SideDialogue } from '../../ui/dialogue/dialogue.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { When } from '../../ui/when.tsx'
import { DevelopersFrame } from './developers-frame.tsx'

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad'
  return status >= 400 ? 'waiting' : 'good'
}

const CELLS = {
  at: (row: RequestAnswer) => <When at={row.at} isReal />,
  route: (row: RequestAnswer) => (
    <span className="mono">
      {row.method} {row.route}
    </span>
  ),
  status: (row: RequestAnswer) => <StatusBadge tone={toneOf(row.status)}>{String(row.status)}</StatusBadge>,
  error_code: (row: RequestAnswer) => <span className="mono nowrap">{row.error_code}</span>,
  key_id: (row: RequestAnswer) => <span className="mono">{row.key_id}</span>,
  id: (row: RequestAnswer) => <span className="mono">{row.id}</span>,
}
const LABELS = {
  outcome: {
    answered: { label: 'Done (below 400)' },
    refused: { label: 'Refused (400 to 499)' },
    failed: { label: 'Failed (500 and more)' },
  },
}

/** The request in the address is open, so that it can be sent to a colleague. */
export function RequestsPage() {
  const path = useInstitutePath()
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const open = (request: string | undefined): void => {
    const { request: _, ...rest } = search
    const next = Object.entries(request === undefined ? rest : { ...rest, request })
    void navigate({ to: '.', search: Object.fromEntries(next) as Record<string, string>, replace: true })
  }
  return (
    <DevelopersFrame here="requests">
      <Lookup onFind={open} />
      <ListTable<RequestAnswer>
        name="Requests"
        path={`${path}/requests`}
        queryKey="requests"
        cells={CELLS}
        labels={LABELS}
        rowId={row => row.id}
        onOpen={row => open(row.id)}
        empty={{
          title: 'No requests within the last month',
          description:
            'Requests made with one of your keys are listed here for a month: when, which route and with what status. Their content is not stored.',
        }}
      />
      {search.request !== undefined && (
        <SideDialogue onClose={() => open(undefined)} title="Request">
          <Request id={search.request} />
        </SideDialogue>
      )}
    </DevelopersFrame>
  )
}

function Lookup({ onFind }: { onFind: (id: string) => void }) {
  const [id, setId] = useState('')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (id.trim() !== '') onFind(id.trim())
      }}
    >
      <Group align="end" gap="xs" mb="md">
        <TextInput
          label="Request id"
          description="From the response header x-request-id."
          placeholder="req_…"
          value={id}
          onChange={event => setId(event.currentTarget.value)}
          spellCheck={false}
          maxLength={64}
        />
        <Button type="submit" variant="default">
          Find it
        </Button>
      </Group>
    </form>
  )
}

function Request({ id }: { id: string }) {
  const path = useInstitutePath()
  const request = useQuery({
    queryKey: ['requests', path, id],
    queryFn: ({ signal }) => get<RequestAnswer>(`${path}/requests/${encodeURIComponent(id)}`, {}, signal),
  })
  if (request.isPending) return <Loading />
  if (request.isError) return <Failed error={request.error} retry={() => void request.refetch()} />
  const { data } = request
  return (
    <>
      <Summary
        fields={[
          {
            label: 'Answer',
            value: <StatusBadge tone={toneOf(data.status)}>{String(data.status)}</StatusBadge>,
          },
          { label: 'When', value: <When at={data.at} isReal /> },
          {
            label: 'Request',
            value: (
              <span className="mono">
                {data.method} {data.route}
              </span>
            ),
          },
          { label: 'Error code', value: data.error_code && <span className="mono">{data.error_code}</span> },
          { label: 'Took', value: `${data.ms} ms` },
          { label: 'Key', value: <span className="mono">{data.key_id}</span> },
          { label: 'Request id', value: <span className="mono">{data.id}</span> },
        ]}
      />
      <p className="faint">
        The route is shown as a pattern; neither parameters nor body are stored. The error codes are explained
        in the <a href="/docs">API reference</a>.
      </p>
      <RawJson value={data} />
    </>
  )
}
