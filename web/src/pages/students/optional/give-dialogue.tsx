import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { OptionalFeeAnswer } from '../../../../../src/students/enrolments/optional-fee.schemas.ts'
import { get } from '../../../api/client.ts'
import { problemOf } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { counted } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import type { PickedRows } from '../../../ui/table/data-table.tsx'
import { yearName } from '../../../ui/when.tsx'
import { plainAmount } from '../../../ui/form/amount.ts'
import { useCurrentYear } from '../use-student.ts'
import { optionLabel, Outcome, TermFields, useEnrol } from './add-children.tsx'

/** The server takes so many children at once. */
const MOST = 500

/** A bus, a room or meals for the students that are picked, or for all that fit. */
export function GiveToPicked({ list, picked }: { list: string; picked: PickedRows }) {
  const [isOpen, setIsOpen] = useState(false)
  if (!useMay('owner', 'finance')) return null
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
        Optional fee
      </Button>
      {isOpen && <PickedDialogue list={list} picked={picked} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function PickedDialogue({
  list,
  picked,
  onClose,
}: {
  list: string
  picked: PickedRows
  onClose: () => void
}) {
  const root = `${useInstitutePath()}/optional-fees`
  const thisYear = useCurrentYear()
  const [year, setYear] = useState(String(thisYear))
  const fees = useQuery({
    queryKey: ['optional-fees', root, year],
    queryFn: ({ signal }) => get<OptionalFeeAnswer[]>(root, { academic_year_start: year }, signal),
  })
  const all = useQuery({
    queryKey: ['students', list, 'keys', picked.all],
    queryFn: ({ signal }) => get<{ keys: string[] }>(`${list}/keys`, picked.all ?? {}, signal),
    enabled: picked.ids === undefined,
  })
  const ids = picked.ids ?? all.data?.keys
  const failed = fees.error ?? all.error
  const title = 'Give or change an optional fee'
  const years = [thisYear - 1, thisYear, thisYear + 1]
  const chooseYear = (
    <NativeSelect
      label="Of the year"
      mb="sm"
      value={year}
      onChange={event => setYear(event.currentTarget.value)}
      data={years.map(start => ({ value: String(start), label: yearName(start, start + 1) }))}
    />
  )
  if (fees.isSuccess && ids !== undefined && fees.data.length > 0 && ids.length <= MOST)
    return (
      <GiveDialogue key={year} ids={ids} fees={fees.data} onClose={onClose}>
        {chooseYear}
      </GiveDialogue>
    )
  return (
    <Dialogue title={title} onClose={onClose}>
      {chooseYear}
      {failed !== null && (
        <Failed error={failed} retry={() => void Promise.all([fees.refetch(), all.refetch()])} />
      )}
      {failed === null && (fees.isPending || ids === undefined) && <Loading />}
      {fees.isSuccess && fees.data.length === 0 && (
        <p>There are no optional fees of this year. Add one under Students, Optional fees.</p>
      )}
      {ids !== undefined && ids.length > MOST && (
        <p>{`At most ${MOST} children get it at once. Narrow the filters, and do it in parts.`}</p>
      )}
    </Dialogue>
  )
}

/** Says what each child pays and who cannot have it, before anything is done. */
export function GiveDialogue({
  ids,
  fees,
  onClose,
  children,
}: {
  ids: readonly string[]
  fees: readonly OptionalFeeAnswer[]
  onClose: () => void
  children?: ReactNode
}) {
  const root = `${useInstitutePath()}/optional-fees`
  const [option, setOption] = useState(fees[0]?.options[0]?.option_id ?? '')
  const [terms, setTerms] = useState({ first_day: '', last_day: '', amount: '', reason: '', change: false })
  const fee = fees.find(one => one.options.some(each => each.option_id === option)) ?? fees[0]
  const { command, seen, forget } = useEnrol(`${root}/${fee?.optional_fee_id ?? ''}/children`, onClose)
  if (fee === undefined) return null
  const { first_day, last_day, amount, reason, change } = terms
  const sent = {
    student_ids: ids,
    option_id: option,
    ...(first_day && { first_day }),
    ...(last_day && { last_day }),
    ...(amount && { amount: plainAmount(amount) }),
    ...(reason.trim() && { reason: reason.trim() }),
    ...(change && { change }),
  }
  return (
    <Dialogue title="Give or change an optional fee" isWide={ids.length > 1} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          command.mutate({ ...sent, preview: true })
        }}
      >
        {children}
        {ids.length > 1 && <p>{`For ${counted(ids.length, 'record', 'records')} of students.`}</p>}
        <NativeSelect
          label="Option"
          value={option}
          onChange={event => {
            forget()
            setOption(event.currentTarget.value)
          }}
          data={fees.map(one => ({
            group: one.name,
            items: one.options.map(each => ({ value: each.option_id, label: optionLabel(each) })),
          }))}
        />
        <TermFields
          fee={fee}
          terms={terms}
          set={part => {
            forget()
            setTerms({ ...terms, ...part })
          }}
          flaw={key => problemOf(command.error, key)}
        />
        <Outcome
          seen={seen?.answer}
          error={command.error}
          isBusy={command.isPending}
          isReady
          verb="Do it"
          onApply={() => command.mutate({ ...sent, preview: false })}
        />
      </form>
    </Dialogue>
  )
}
