import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import type { CalendarAnswer } from '../../../../src/console/flex/flex.schemas.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { LinkButton } from '../../ui/link/link-button.tsx'
import { Empty, Failed } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { formatDay, isDay } from '../../ui/when.tsx'
import { addDays, weekdayName } from './days.ts'
import { DebitsTable } from './debits-table.tsx'
import { FlexFrame } from './flex-frame.tsx'
import { MonthLink } from './month-link.tsx'
import { DayAmounts } from './sums.tsx'
import { isDebitStatus } from './texts.ts'

export function FlexDayPage() {
  const { day } = useParams({ strict: false })
  if (!isDay(day))
    return (
      <FlexFrame here="calendar">
        <Empty title="This is no day" description="Choose one in the calendar." />
      </FlexFrame>
    )
  return (
    <FlexFrame here="calendar" title={`${weekdayName(day)}, ${formatDay(day)}`}>
      <DayHead day={day} />
      <DebitsTable
        name={`Debits of ${day}`}
        day={day}
        empty={{
          title: 'Nothing on this day',
          description: 'No debits. Instalments appear on the working day on which they are presented.',
        }}
      />
    </FlexFrame>
  )
}

function DayHead({ day }: { day: string }) {
  const path = useInstitutePath()
  const { status } = useSearch({ strict: false })
  const month = day.slice(0, 7)
  const calendar = useQuery({
    queryKey: ['flex', path, 'calendar', month],
    queryFn: ({ signal }) => get<CalendarAnswer>(`${path}/flex/calendar`, { month: `${month}-01` }, signal),
  })
  const found = calendar.data?.days.find(one => one.day === day)
  return (
    <>
      <Group justify="space-between" mb="sm" align="center">
        <Group gap="xs">
          {found?.is_working_day === false && <StatusBadge tone="plain">Banks are closed</StatusBadge>}
          {calendar.data?.today === day && <StatusBadge tone="plain">Today</StatusBadge>}
        </Group>
        <Group gap="xs">
          <DayLink day={addDays(day, -1)} label="Previous day" text="‹" />
          <MonthLink month={month} text="Whole month" />
          <DayLink day={addDays(day, 1)} label="Next day" text="›" />
        </Group>
      </Group>
      {calendar.isError && <Failed error={calendar.error} retry={() => void calendar.refetch()} />}
      {found !== undefined && (
        <DayAmounts sums={found.sums} day={day} here={isDebitStatus(status) ? status : undefined} />
      )}
    </>
  )
}

function DayLink({ day, label, text }: { day: string; label: string; text: string }) {
  const { code: institute } = useInstitute()
  return (
    <LinkButton
      variant="default"
      size="xs"
      aria-label={label}
      to="/i/$institute/flex/days/$day"
      params={{ institute, day }}
      search={{}}
    >
      {text}
    </LinkButton>
  )
}
