import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TokenAnswer } from '../../../../src/console/tokens/tokens.routes.ts'
import { useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { ShortTable } from '../../ui/table/short-table.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { NewTokenDialogue } from './new-token-dialogue.tsx'

/** Tokens with which a person lets assistants ask and act in their name here. */
export function AssistantsPage() {
  const path = useInstitutePath()
  const [isMaking, setIsMaking] = useState(false)
  const tokens = useQuery({
    queryKey: ['tokens', path],
    queryFn: ({ signal }) => get<TokenAnswer[]>(`${path}/tokens`, {}, signal),
  })
  const end = useCommand<{ id: string }>({
    method: 'DELETE',
    path: ({ id }) => `${path}/tokens/${id}`,
    body: () => undefined,
    refreshes: ['tokens', 'audit'],
    onDone: () => notify('The token has ended. Nothing can use it any more.'),
  })
  return (
    <PageFrame
      title="Your assistants"
      actions={<Button onClick={() => setIsMaking(true)}>Create a token</Button>}
    >
      <p className="faint">
        An assistant signs in with a token of yours. It sees and does what you may, and no more than you
        choose for the token; what it does stands in the audit log under your name and the token’s.
      </p>
      {tokens.isPending && <Loading />}
      {tokens.isError && <Failed error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.isSuccess && tokens.data.length === 0 && (
        <Empty
          title="No tokens yet"
          description="Create one for each assistant, so that you can end each by itself."
        />
      )}
      {tokens.isSuccess && tokens.data.length > 0 && (
        <ShortTable
          name="Tokens"
          rows={tokens.data}
          rowId={({ id }) => id}
          columns={[
            { title: 'Assistant', cell: ({ name }) => <strong>{name}</strong> },
            { title: 'May', cell: ({ scopes }) => ['read', ...scopes].join(', ') },
            { title: 'Good until', cell: token => <When at={token.expires_at} isReal /> },
            {
              title: 'Last used',
              cell: ({ last_used_at: at }) => (at === undefined ? 'Never' : <When at={at} isReal />),
            },
            {
              title: 'Actions',
              isAction: true,
              cell: ({ id, name }) => (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`End ${name}`}
                  onClick={() => end.mutate({ id })}
                >
                  End
                </Button>
              ),
            },
          ]}
        />
      )}
      {isMaking && <NewTokenDialogue onClose={() => setIsMaking(false)} />}
    </PageFrame>
  )
}
