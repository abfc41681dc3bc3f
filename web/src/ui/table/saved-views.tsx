import { Button, CloseButton, Popover, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ViewAnswer } from '../../../../src/console/lists/list.routes.ts'
import { get } from '../../api/client.ts'
import { problemOf, useCommand, wholeProblem } from '../../api/command.ts'
import { useInstitutePath } from '../../api/session.ts'
import { notify, notifyWithUndo } from '../toasts.tsx'

type Values = Readonly<Record<string, string | undefined>>

type Props = {
  /** The list's address in the API. */
  path: string
  /** What the list is narrowed to and sorted by now. */
  values: Readonly<Record<string, string>>
  onChoose: (values: Values) => void
}

/** Filters under a name of one's own. Each is a view with an address, which can be sent to a colleague. */
export function SavedViews({ path: listPath, values, onChoose }: Props) {
  const path = useInstitutePath()
  const list = listPath.slice(path.length + 1)
  const none = Object.fromEntries(Object.keys(values).map(key => [key, undefined]))
  const [isOpen, setIsOpen] = useState(false)
  const views = useQuery({
    queryKey: ['views', path, list],
    queryFn: ({ signal }) => get<ViewAnswer[]>(`${path}/views`, { list }, signal),
    enabled: isOpen,
  })
  return (
    <Popover
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-start"
      shadow="md"
      width={300}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button variant="default" size="xs" onClick={() => setIsOpen(!isOpen)}>
          Saved views
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" aria-label="Saved views">
          {views.data?.length === 0 && <p className="faint">No saved view of this list yet.</p>}
          {views.isError && <p role="alert">The saved views could not be read. Try again in a moment.</p>}
          {views.data?.map(view => (
            <OneView
              key={view.id}
              view={view}
              path={path}
              list={list}
              onChoose={() => {
                setIsOpen(false)
                onChoose({ ...none, ...Object.fromEntries(new URLSearchParams(view.filters)) })
              }}
            />
          ))}
          {Object.keys(values).length === 0 ? (
            <p className="faint">Filter or sort the list, then save it here under a name.</p>
          ) : (
            <SaveForm path={path} list={list} values={values} />
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function OneView({
  view,
  path,
  list,
  onChoose,
}: {
  view: ViewAnswer
  path: string
  list: string
  onChoose: () => void
}) {
  const { name, filters } = view
  const again = useCommand<{ list: string; name: string; filters: string }>({
    method: 'POST',
    path: `${path}/views`,
    refreshes: ['views'],
    onDone: () => notify(`“${name}” is there again.`),
  })
  const remove = useCommand({
    method: 'DELETE',
    path: `${path}/views/${view.id}`,
    refreshes: ['views'],
    onDone: () => notifyWithUndo(`“${name}” is removed.`, () => again.mutate({ list, name, filters })),
  })
  return (
    <div className="saved-view">
      <Button variant="subtle" size="compact-sm" onClick={onChoose}>
        {name}
      </Button>
      <CloseButton
        size="sm"
        aria-label={`Remove the saved view ${name}`}
        disabled={remove.isPending}
        onClick={() => remove.mutate()}
      />
    </div>
  )
}

function SaveForm({ path, list, values }: { path: string; list: string; values: Props['values'] }) {
  const [name, setName] = useState('')
  const save = useCommand<{ list: string; name: string; filters: string }>({
    method: 'POST',
    path: `${path}/views`,
    refreshes: ['views'],
    onDone() {
      notify(`Saved as “${name.trim()}”.`)
      setName('')
    },
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (name.trim() === '') return
        save.mutate({ list, name: name.trim(), filters: new URLSearchParams(values).toString() })
      }}
    >
      <Stack gap="xs">
        <TextInput
          label="Save this view as"
          placeholder="Class 5, owing"
          maxLength={60}
          required
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={problemOf(save.error, 'name') ?? wholeProblem(save.error)}
        />
        <Button type="submit" size="sm" loading={save.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  )
}
