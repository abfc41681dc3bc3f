import { Group, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'

/** The frame of a page: its name, what can be done with the whole of it, and the rest. */
export function PageFrame({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Bursar`
  }, [title])
  return (
    <>
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
