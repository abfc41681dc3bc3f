import '../students.css'
import { Button, MultiSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OptionalFeeAnswer } from '../../../../../src/students/enrolments/optional-fee.schemas.ts'
import { useChoices } from '../../../api/choices.ts'
import { get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { LinkButton } from '../../../ui/link/link-button.tsx'
import { counted, formatRupees } from '../../../ui/money.tsx'
import { PageFrame } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { yearName } from '../../../ui/when.tsx'
import { readable } from '../../../ui/words.ts'
import { useCurrentYear } from '../use-student.ts'
import { KIND_LABELS, RHYTHM_TEXTS } from './draft.ts'

const TRAIL: readonly Crumb[] = [{ label: 'Students', to: '/i/$institute/students' }]

/** What can be chosen in a year: buses, hostels, meals, clubs; fines and deposits. */
export function OptionalFeesPage() {
  const { code: institute } = useInstitute()
  const mayChange = useMay('owner', 'finance')
  const [year, setYear] = useState(String(useCurrentYear()))
  const isYear = /^20\d\d$/.test(year)
  return (
    <PageFrame
      title="Optional fees"
      back={<Crumbs trail={TRAIL} />}
      actions={
        mayChange &&
        isYear && (
          <LinkButton
            to="/i/$institute/students/optional-fees/$fee"
            params={{ institute, fee: 'new' }}
            search={{ year }}
          >
            Add an optional fee
          </LinkButton>
        )
      }
    >
      <TextInput
        label="The academic year begins in"
        error={isYear ? undefined : 'Must be a year such as 2026'}
        w={280}
        mb="md"
        value={year}
        onChange={event => setYear(event.currentTarget.value)}
      />
      {isYear && <OfYear year={year} />}
      <Deposits />
    </PageFrame>
  )
}

function OfYear({ year }: { year: string }) {
  const { code: institute } = useInstitute()
  const path = `${useInstitutePath()}/optional-fees`
  const fees = useQuery({
    queryKey: ['optional-fees', path, year],
    queryFn: ({ signal }) => get<OptionalFeeAnswer[]>(path, { academic_year_start: year }, signal),
  })
  if (fees.isError) return <Failed error={fees.error} retry={() => void fees.refetch()} />
  if (!fees.isSuccess) return <Loading />
  if (fees.data.length === 0)
    return (
      <Empty
        title={`No optional fees for ${yearName(Number(year), Number(year) + 1)}`}
        description="A bus with its stops, a hostel, meals, clubs, fines or deposits. Add one, then give it to children: a class, a list of admission numbers, or one on its page."
      />
    )
  return (
    <ShortTable
      name="Optional fees"
      rows={fees.data}
      rowId={fee => fee.optional_fee_id}
      columns={[
        {
          title: 'Fee',
          cell: fee => (
            <Link
              to="/i/$institute/students/optional-fees/$fee"
              params={{ institute, fee: fee.optional_fee_id }}
              search={{}}
            >
              {fee.name}
            </Link>
          ),
        },
        { title: 'Kind', cell: fee => KIND_LABELS[fee.kind].label },
        { title: 'Charged as', cell: fee => readable(fee.component_type) },
        { title: 'Amounts', cell: amountsOf },
        {
          title: 'Children',
          isAmount: true,
          cell: fee => fee.options.reduce((sum, one) => sum + one.children, 0),
        },
      ]}
    />
  )
}

function amountsOf({ options, rhythm }: OptionalFeeAnswer): string {
  const amounts = options.map(one => one.amount)
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)]
  const range = low === high ? formatRupees(low) : `${formatRupees(low)} to ${formatRupees(high)}`
  return `${range} ${RHYTHM_TEXTS[rhythm]}, ${counted(options.length, 'option')}`
}

/** Which fees are held for families and given back; an owner says so. */
function Deposits() {
  const path = `${useInstitutePath()}/deposit-fees`
  const isOwner = useMay('owner')
  const { components } = useChoices()
  const marked = useQuery({
    queryKey: ['deposit-fees', path],
    queryFn: ({ signal }) => get<{ component_types: string[] }>(path, {}, signal),
  })
  const [chosen, setChosen] = useState<string[]>()
  const [typed, setTyped] = useState('')
  const save = useCommand<{ component_types: string[] }>({
    method: 'PUT',
    path,
    refreshes: ['deposit-fees', 'choices', 'audit', 'money-deposits'],
    onDone() {
      setChosen(undefined)
      notify('The deposits are saved.')
    },
  })
  if (!marked.isSuccess) return null
  const value = chosen ?? marked.data.component_types
  const known = [...new Set([...components.map(one => one.code), ...value, ...(typed === '' ? [] : [typed])])]
  return (
    <section aria-label="Deposits" className="file-now">
      <h2 className="section-title">Deposits that are returned</h2>
      <p>
        What is paid of these fees is held for the family: it is no income, and is given back on the student’s
        page. Type a new code, such as CAUTION_DEPOSIT, or choose a fee.
      </p>
      {isOwner ? (
        <>
          <MultiSelect
            label="Fees that are deposits"
            maw={560}
            mb="sm"
            searchable
            value={value}
            onChange={setChosen}
            searchValue={typed}
            onSearchChange={setTyped}
            data={known.map(code => ({ value: code, label: readable(code) }))}
          />
          <Problem error={save.error} />
          <Button
            disabled={chosen === undefined}
            loading={save.isPending}
            onClick={() => save.mutate({ component_types: value })}
          >
            Save the deposits
          </Button>
        </>
      ) : (
        <p className="faint">
          {`${value.length === 0 ? 'None yet' : value.map(readable).join(', ')}. An owner can change them.`}
        </p>
      )}
    </section>
  )
}
