import { Button, Group, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TimelineEntryAnswer } from '../../../../../src/console/students/students.output.ts'
import { list } from '../../../api/client.ts'
import { Timeline, type TimelineEntry } from '../../../ui/detail.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { formatMoment } from '../../../ui/when.tsx'
import { useStudentPath } from '../use-student.ts'
import { headline } from '../texts.ts'

const KINDS = [
  { value: 'all', label: 'Everything' },
  { value: 'act', label: 'People' },
  { value: 'event', label: 'Events' },
  { value: 'fetch', label: 'ERP' },
  { value: 'fee', label: 'Fees' },
  { value: 'message', label: 'Messages' },
]

export function TimelineSection({ id }: { id: string }) {
  const path = `${useStudentPath(id)}/timeline`
  const [kind, setKind] = useState('all')
  const pages = useInfiniteQuery({
    queryKey: ['student', path],
    queryFn: ({ pageParam, signal }) => list<TimelineEntryAnswer>(path, { cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.nextCursor,
  })
  const entries = pages.data?.pages.flatMap(page => page.rows) ?? []
  const shown = entries.filter(entry => kind === 'all' || entry.kind === kind)
  return (
    <section aria-labelledby="timeline">
      <h2 className="section-title" id="timeline">
        Everything that happened
      </h2>
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
      {pages.isPending && <Loading what="Loading what happened" />}
      {pages.isError && <Failed error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isSuccess && shown.length === 0 && <p className="faint">Nothing of this kind yet.</p>}
      <Timeline entries={inGroups(shown).map(toEntry)} />
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
    </section>
  )
}

type Group = readonly [TimelineEntryAnswer, ...TimelineEntryAnswer[]]

/** Repeated identical ERP answers are grouped into one entry. */
function inGroups(entries: readonly TimelineEntryAnswer[]): Group[] {
  const groups: Group[] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    const isSame = entry.kind === 'fetch' && last?.[0].what === entry.what && last[0].why === entry.why
    if (last !== undefined && isSame) groups[groups.length - 1] = [...last, entry]
    else groups.push([entry])
  }
  return groups
}

function toEntry(group: Group): TimelineEntry {
  const [entry] = group
  const { label, tone } = headline(entry)
  const since = group.at(-1)?.at
  const title =
    group.length === 1 || since === undefined
      ? label
      : `${label}, ${group.length} times since ${formatMoment(since)}`
  const raw = group.length === 1 ? entry.raw : group.map(one => one.raw)
  return { id: entry.id, at: entry.at, title, tone, by: entry.by, why: entry.why, raw }
}
