import { Group, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { Failed, Loading } from './states.tsx'

/** The frame of a page: its name, what can be done with the whole of it, and the rest. */
export function PageFrame({
  title,
  back,
  actions,
  children,
}: {
  title: string
  /** A link to the list that the page belongs to. */
  back?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Bursar`
  }, [title])
  return (
    <>
      {back}
      <Group justify="space-between" align="center" mb="md">
        <Title order={1} size="h2">
          {title}
        </Title>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </>
  )
}

/** A detail page while it loads or after it failed. */
export function AwaitedPage({ kind, query }: { kind: string; query: UseQueryResult }) {
  return (
    <PageFrame title={kind}>
      {query.isPending && <Loading what={`Loading the ${kind.toLowerCase()}`} />}
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
    </PageFrame>
  )
}
