import '../students.css'
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { EnrolmentAnswer } from '../../../../../src/students/enrolments/enrolment.list.ts'
import type { OptionalFeeAnswer } from '../../../../../src/students/enrolments/optional-fee.schemas.ts'
import { get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { SheetButtons } from '../../../ui/file/save-file.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { PageFrame } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { ExportMenu } from '../../../ui/table/export-menu.tsx'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { yearName } from '../../../ui/when.tsx'
import { useCurrentYear } from '../use-student.ts'
import { AddChildren } from './add-children.tsx'
import { CarryOn } from './carry-on.tsx'
import { newDraft, nextYearOf, toDraft, KIND_LABELS } from './draft.ts'
import { FeeForm } from './fee-form.tsx'

const TRAIL: readonly Crumb[] = [
  { label: 'Students', to: '/i/$institute/students' },
  { label: 'Optional fees', to: '/i/$institute/students/optional-fees' },
]

/** One optional fee: what it costs, who has it, and adding children. */
export function OptionalFeePage() {
  const { fee: id = 'new' } = useParams({ strict: false })
  return id === 'new' ? <NewFee /> : <KnownFee key={id} id={id} />
}

function useFee(id: string) {
  const path = `${useInstitutePath()}/optional-fees/${encodeURIComponent(id)}`
  return useQuery({
    queryKey: ['optional-fees', path],
    queryFn: ({ signal }) => get<OptionalFeeAnswer>(path, {}, signal),
    enabled: id !== '',
  })
}

function Back() {
  return <Crumbs trail={TRAIL} />
}

function NewFee() {
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const { year: typed, copy = '' }: Record<string, string | undefined> = useSearch({ strict: false })
  const thisYear = useCurrentYear()
  const copied = useFee(copy)
  if (copy !== '' && !copied.isSuccess) return <Loading />
  const from = copied.data
  const year = from === undefined ? Number(typed) || thisYear : from.academic_year_start + 1
  return (
    <PageFrame title={`New optional fee for ${yearName(year, year + 1)}`} back={<Back />}>
      <FeeForm
        year={year}
        begin={from === undefined ? newDraft(year) : nextYearOf(from)}
        onSaved={id =>
          void navigate({
            to: '/i/$institute/students/optional-fees/$fee',
            params: { institute, fee: id },
            search: {},
          })
        }
      />
    </PageFrame>
  )
}

function KnownFee({ id }: { id: string }) {
  const fee = useFee(id)
  if (fee.isError) return <Failed error={fee.error} retry={() => void fee.refetch()} />
  if (!fee.isSuccess) return <Loading />
  return <Page fee={fee.data} />
}

function Page({ fee }: { fee: OptionalFeeAnswer }) {
  const { code: institute } = useInstitute()
  const mayChange = useMay('owner', 'finance')
  const [isEdited, setIsEdited] = useState(false)
  const { optional_fee_id: id, academic_year_start: year } = fee
  return (
    <PageFrame
      title={`${fee.name}, ${yearName(year, fee.academic_year_end)}`}
      back={<Back />}
      actions={
        mayChange && (
          <LinkButton
            variant="default"
            to="/i/$institute/students/optional-fees/$fee"
            params={{ institute, fee: 'new' }}
            search={{ copy: id }}
          >
            Copy to the next year
          </LinkButton>
        )
      }
    >
      {mayChange && <AddChildren fee={fee} />}
      {mayChange && <CarryOn fee={fee} />}
      <h2 className="section-title">Children</h2>
      <Children fee={fee} />
      <Group mt="lg" mb="sm">
        <Button variant="default" aria-expanded={isEdited} onClick={() => setIsEdited(!isEdited)}>
          {isEdited ? 'Hide what it costs' : 'What it costs'}
        </Button>
        {mayChange && !fee.is_used && <RemoveFee id={id} />}
      </Group>
      {isEdited && (
        <FeeForm
          year={year}
          feeId={id}
          begin={toDraft(fee)}
          isUsed={fee.is_used}
          onSaved={() => setIsEdited(false)}
        />
      )}
    </PageFrame>
  )
}

function RemoveFee({ id }: { id: string }) {
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const remove = useCommand({
    method: 'DELETE',
    path: `${useInstitutePath()}/optional-fees/${id}`,
    refreshes: ['optional-fees'],
    onDone: () =>
      void navigate({ to: '/i/$institute/students/optional-fees', params: { institute }, search: {} }),
  })
  return (
    <>
      <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
        Remove this fee
      </Button>
      <Problem error={remove.error} />
    </>
  )
}

function Children({ fee }: { fee: OptionalFeeAnswer }) {
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const hasStops = fee.options.some(one => one.stop !== undefined)
  const school = useInstitutePath()
  const path = `${school}/enrolments`
  return (
    <ListTable<EnrolmentAnswer>
      name="Children"
      path={path}
      queryKey="enrolments"
      query={{ optional_fee_id: fee.optional_fee_id }}
      without={['fee_name', 'kind', 'academic_year_start', ...(hasStops ? [] : ['stop'])]}
      labels={{ kind: KIND_LABELS }}
      rowId={row => row.id}
      files={(sent, sort) => (
        <Group gap="xs">
          <SheetButtons
            path={`${school}/optional-fees/${fee.optional_fee_id}/roll-sheets`}
            sent={{ option: sent['option'], on: sent['on'] }}
            label={SHEETS[fee.kind] ?? 'Sheets'}
          />
          <ExportMenu path={`${path}/export`} sent={{ ...sent, sort }} />
        </Group>
      )}
      onOpen={row =>
        void navigate({
          to: '/i/$institute/students/$student',
          params: { institute, student: row.service_student_id },
        })
      }
      empty={{
        title: 'No children yet',
        description: 'Add a class, a list of admission numbers, or one child on its page.',
      }}
    />
  )
}

/** What a driver or a warden carries: a sheet for each route or room, or only the one that the list is narrowed to. */
const SHEETS: Partial<Record<OptionalFeeAnswer['kind'], string>> = {
  transport: 'Drivers’ sheets',
  hostel: 'Room lists',
}
