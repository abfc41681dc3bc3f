import { Button, Group, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TimelineEntryAnswer } from '../../../../../src/console/students/students.output.ts'
import { list } from '../../../api/client.ts'
import { Timeline } from '../../../ui/detail.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { useStudentPath } from '../use-student.ts'
import { toStory } from './story.ts'

type Kind = TimelineEntryAnswer['kind']

const KINDS: { value: 'all' | Kind; label: string }[] = [
  { value: 'all', label: 'Everything' },
  { value: 'act', label: 'People' },
  { value: 'event', label: 'Events' },
  { value: 'fetch', label: 'ERP' },
  { value: 'fee', label: 'Fees' },
]

/** Everything that happened to a student. */
export function StorySection({ id }: { id: string }) {
  const [kind, setKind] = useState<'all' | Kind>('all')
  return (
    <section aria-label="Everything that happened">
      <div className="scrolls">
        <SegmentedControl
          data={KINDS}
          value={kind}
          onChange={setKind}
          size="xs"
          mb="md"
          aria-label="What to show"
        />
      </div>
      <Happenings id={id} kind={kind === 'all' ? undefined : kind} none="Nothing of this kind yet." />
    </section>
  )
}

/** Lists entries of all logs about a student, or of one of them. */
export function Happenings({ id, kind, none }: { id: string; kind: Kind | undefined; none: string }) {
  const path = `${useStudentPath(id)}/timeline`
  const pages = useInfiniteQuery({
    queryKey: ['student', path, kind],
    queryFn: ({ pageParam, signal }) => list<TimelineEntryAnswer>(path, { kind, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.nextCursor,
  })
  const entries = pages.data?.pages.flatMap(page => page.rows) ?? []
  return (
    <>
      {pages.isPending && <Loading what="Loading what happened" />}
      {pages.isError && <Failed error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isSuccess && entries.length === 0 && <p className="faint">{none}</p>}
      <Timeline entries={toStory(entries)} />
      {pages.hasNextPage && (
        <Group>
          <Button
            variant="default"
            size="xs"
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Show what was before
          </Button>
        </Group>
      )}
    </>
  )
}
