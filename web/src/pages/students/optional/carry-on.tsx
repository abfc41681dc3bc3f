import { Box, Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { OptionalFeeAnswer } from '../../../../../src/students/enrolments/optional-fee.schemas.ts'
import { get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { counted } from '../../../ui/money.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { yearName } from '../../../ui/when.tsx'
import { Outcome, useEnrol } from './add-children.tsx'
import { KIND_LABELS, nextYearOf, toSent } from './draft.ts'

/** Gives children of last year's fee of the same kind the option of the same name in the new year. */
export function CarryOn({ fee }: { fee: OptionalFeeAnswer }) {
  const old = useUsedFees(fee.academic_year_start - 1)?.filter(one => one.kind === fee.kind) ?? []
  const [chosen, setChosen] = useState('')
  const from = chosen || (old[0]?.optional_fee_id ?? '')
  if (old.length === 0) return null
  return (
    <CarryForm key={from} fee={fee} from={from}>
      <h2 className="section-title">Carry children on</h2>
      <p>
        Children who had it to the end of the year before, and have a record of this year, get the option of
        the same name from its first day on.
      </p>
      <NativeSelect
        label="From"
        maw={360}
        value={from}
        onChange={event => setChosen(event.currentTarget.value)}
        data={old.map(one => ({ value: one.optional_fee_id, label: one.name }))}
      />
    </CarryForm>
  )
}

function CarryForm({ fee, from, children }: { fee: OptionalFeeAnswer; from: string; children?: ReactNode }) {
  const root = `${useInstitutePath()}/optional-fees`
  const { command, seen } = useEnrol(`${root}/${fee.optional_fee_id}/carry`, () => undefined)
  const sent = { from_optional_fee_id: from }
  return (
    <form
      className="form rollover-form"
      aria-label={children === undefined ? `Carry on ${fee.name}` : 'Carry children on'}
      onSubmit={event => {
        event.preventDefault()
        command.mutate({ ...sent, preview: true })
      }}
    >
      {children}
      <Outcome
        seen={seen?.answer}
        error={command.error}
        isBusy={command.isPending}
        isReady
        verb="Carry on"
        onApply={() => command.mutate({ ...sent, preview: false })}
      />
    </form>
  )
}

/** Optional fees of a year that children have; undefined until they are read. */
function useUsedFees(year: number): OptionalFeeAnswer[] | undefined {
  return useFees(year)?.filter(one => one.is_used && one.kind !== 'fine')
}

function useFees(year: number): OptionalFeeAnswer[] | undefined {
  const root = `${useInstitutePath()}/optional-fees`
  const { data } = useQuery({
    queryKey: ['optional-fees', root, String(year)],
    queryFn: ({ signal }) => get<OptionalFeeAnswer[]>(root, { academic_year_start: String(year) }, signal),
  })
  return data
}

const childrenOf = ({ options }: OptionalFeeAnswer): number =>
  options.reduce((sum, one) => sum + one.children, 0)

/** Before a new year starts: what children have beside the fees of their class, which the year’s page asks about next. */
export function OptionalFeesAhead({ from }: { from: number }) {
  const fees = useUsedFees(from) ?? []
  if (fees.length === 0) return null
  return (
    <fieldset>
      <legend>Optional fees</legend>
      <p>
        Once the students have their records of the new year, its page asks for each of these whether it goes
        on, with a preview.
      </p>
      <ShortTable
        name="Optional fees that children have"
        isCompact
        rows={fees}
        rowId={fee => fee.optional_fee_id}
        columns={[
          { title: 'Fee', cell: fee => fee.name },
          { title: 'Kind', cell: fee => KIND_LABELS[fee.kind].label },
          { title: 'Children now', isAmount: true, cell: childrenOf },
        ]}
      />
    </fieldset>
  )
}

/** After it: each optional fee of the old year is made for the new one, and its children are carried on. */
export function OptionalFeesOn({ from, to }: { from: number; to: number }) {
  const old = useUsedFees(from) ?? []
  const next = useFees(to)
  const mayChange = useMay('owner', 'finance')
  if (old.length === 0 || next === undefined || !mayChange) return null
  return (
    <Box component="section" mb="lg" aria-labelledby="optional-fees-on">
      <h2 className="section-title" id="optional-fees-on">
        Do the optional fees go on?
      </h2>
      {old.map(fee => (
        <GoesOn key={fee.optional_fee_id} fee={fee} next={sameOf(fee, next)} to={to} />
      ))}
    </Box>
  )
}

function sameOf(
  { kind, name, collector_code: branch }: OptionalFeeAnswer,
  next: readonly OptionalFeeAnswer[],
): OptionalFeeAnswer | undefined {
  const isSame = (one: OptionalFeeAnswer): boolean =>
    one.name.trim().toLowerCase() === name.trim().toLowerCase() && one.collector_code === branch
  return next.find(one => one.kind === kind && isSame(one))
}

function GoesOn({
  fee,
  next,
  to,
}: {
  fee: OptionalFeeAnswer
  next: OptionalFeeAnswer | undefined
  to: number
}) {
  const { code: institute } = useInstitute()
  const make = useCommand<Record<string, unknown>>({
    method: 'POST',
    path: `${useInstitutePath()}/optional-fees`,
    refreshes: ['optional-fees'],
  })
  const year = yearName(to, to + 1)
  const had = `${counted(childrenOf(fee), 'child has', 'children have')} it`
  if (next !== undefined)
    return (
      <>
        <p>
          <strong>{fee.name}</strong>: {had}. It is there for {year}:{' '}
          <Link
            to="/i/$institute/students/optional-fees/$fee"
            params={{ institute, fee: next.optional_fee_id }}
            search={{}}
          >
            what it costs
          </Link>
          .
        </p>
        <CarryForm fee={next} from={fee.optional_fee_id} />
      </>
    )
  return (
    <>
      <p>
        <strong>{fee.name}</strong>: {had}. It is not there for {year} yet.
      </p>
      <Problem error={make.error} />
      <Button
        variant="default"
        mb="md"
        loading={make.isPending}
        onClick={() => make.mutate(toSent(nextYearOf(fee), to))}
      >
        {`Add ${fee.name} for ${year} at the same amounts`}
      </Button>
    </>
  )
}
