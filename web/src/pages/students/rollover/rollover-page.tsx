import '../students.css'
import { Button, Group, NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { GradeOfYearAnswer } from '../../../../../src/console/students/rollover/rollover.schemas.ts'
import type { StructureYearAnswer } from '../../../../../src/console/students/fees/fees.output.ts'
import type { StructureAnswer } from '../../../../../src/fees/structures/structure.schemas.ts'
import type { RolloverAnswer } from '../../../../../src/students/rollover/rollover.schemas.ts'
import { useCommand } from '../../../api/command.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { PageFrame } from '../../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { yearName } from '../../../ui/when.tsx'
import { FormProblem } from '../../../ui/form/field.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { useChoices } from '../../../api/choices.ts'
import { OptionalFeesAhead } from '../optional/carry-on.tsx'
import { CarryForward, NewYear, type Carry } from './carry.tsx'
import { FeesTable, GradesTable } from './grades-table.tsx'
import { Preview, type RolloverRequest } from './preview.tsx'
import { problemsOf } from './problems.ts'
import { NewFees, useMissing } from './new-fees.tsx'
import { RolloverList } from './rollover-list.tsx'
import { StructureFile } from './structure-file.tsx'
import { suggestStructure, toRequest, type Structure } from './structure.ts'

const TRAIL: readonly Crumb[] = [{ label: 'Students', to: '/i/$institute/students' }]

/** Registers the students of one academic year for the next. */
export function RolloverPage() {
  const path = useInstitutePath()
  const mayStart = useMay('owner', 'finance')
  const grades = useQuery({
    queryKey: ['rollover-grades', path],
    queryFn: ({ signal }) => get<GradeOfYearAnswer[]>(`${path}/rollover-grades`, {}, signal),
    // Somebody is typing into what it suggested.
    refetchOnWindowFocus: false,
  })
  return (
    <>
      <Crumbs trail={TRAIL} />
      <PageFrame title="New academic year">
        <p>
          Registers this year’s active students for the next year, class by class, with the fees of their new
          class. Records of this year stay as they are. Nothing changes until you have seen a preview and
          started it.
        </p>
        <RolloverList />
        {!mayStart && <p className="faint">An owner or somebody from finance can start one.</p>}
        {mayStart && grades.isPending && <Loading />}
        {mayStart && grades.isError && <Failed error={grades.error} retry={() => void grades.refetch()} />}
        {mayStart && grades.isSuccess && <YearForm all={grades.data} />}
      </PageFrame>
    </>
  )
}

const yearOf = (one: GradeOfYearAnswer): string => `${one.academic_year_start}-${one.academic_year_end}`

function partsOf(year: string): [number, number] {
  const [start = 0, end = 0] = year.split('-').map(Number)
  return [start, end]
}

function YearForm({ all }: { all: readonly GradeOfYearAnswer[] }) {
  const years = [...new Set(all.map(yearOf))]
  const [year, setYear] = useState(years[0])
  if (year === undefined)
    return (
      <Empty
        title="No students yet"
        description="Once students are registered you can take them into the next year here."
      />
    )
  return (
    <>
      <NativeSelect
        label="Students of the year"
        maw={240}
        mb="md"
        value={year}
        onChange={event => setYear(event.currentTarget.value)}
        data={years.map(value => ({ value, label: yearName(...partsOf(value)) }))}
      />
      {/* Another year begins with its own suggestions. */}
      <RolloverForm key={year} year={year} grades={all.filter(one => yearOf(one) === year)} />
    </>
  )
}

/** The names of branches whose own fee structure comes before what is set here. */
function useBranchesWithFees({ start, end }: { start: string; end: string }): string[] {
  const path = `${useInstitutePath()}/fee-structures`
  const branches = useChoices().branches
  const years = useQuery({
    queryKey: ['fee-structure', path],
    queryFn: ({ signal }) => get<StructureYearAnswer[]>(path, {}, signal),
  })
  const own = years.data?.find(
    one => String(one.academic_year_start) === start && String(one.academic_year_end) === end,
  )
  return branches.filter(({ code }) => own?.branches.includes(code)).map(({ name }) => name)
}

/** The year that begins, what it costs as far as that is kept, and what it lacks. */
function useNewYear(year: string) {
  const path = useInstitutePath()
  const [start, end] = partsOf(year)
  const [newYear, setNewYear] = useState({ start: String(start + 1), end: String(end + 1) })
  const ofNewYear = `${path}/fee-structures/${newYear.start}/${newYear.end}`
  const { data: kept } = useQuery({
    queryKey: ['fee-structure', ofNewYear],
    queryFn: ({ signal }) => get<StructureAnswer>(ofNewYear, {}, signal),
    enabled: /^20\d\d$/.test(newYear.start) && /^20\d\d$/.test(newYear.end),
  })
  const years = {
    from: { start, end },
    to: { start: Number(newYear.start), end: Number(newYear.end) },
  }
  const missing = useMissing(years.from, years.to)
  const [isWithout, setIsWithout] = useState(false)
  return { newYear, setNewYear, kept, years, missing, isWithout, setIsWithout }
}

function RolloverForm({ year, grades }: { year: string; grades: readonly GradeOfYearAnswer[] }) {
  const path = useInstitutePath()
  const { newYear, setNewYear, kept, years, missing, isWithout, setIsWithout } = useNewYear(year)
  const hasStructure = (kept?.amounts.length ?? 0) > 0
  const isAnswered = missing?.length === 0 || isWithout
  const ownFees = useBranchesWithFees(newYear)
  const [structure, setStructure] = useState<Structure>(() => suggestStructure(grades))
  const [carry, setCarry] = useState<Carry>({ dues: 'PREVIOUS_YEAR_DUES', advance: 'PREVIOUS_YEAR_ADVANCE' })
  const wanted = {
    from_academic_year_start: years.from.start,
    from_academic_year_end: years.from.end,
    to_academic_year_start: newYear.start,
    to_academic_year_end: newYear.end,
    ...toRequest(structure),
    ...(hasStructure ? { fees: [] } : {}),
    carry_dues_as: carry.dues,
    carry_advance_as: carry.advance,
    ...(isWithout ? { without_structure: true } : {}),
  }
  const preview = useCommand<RolloverRequest, RolloverAnswer>({
    method: 'POST',
    path: `${path}/rollovers`,
    body: sent => ({ ...sent, preview: true }),
  })
  const problems = problemsOf(preview.error, preview.variables)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (preview.error !== null) form.current?.querySelector<HTMLElement>('[data-problem]')?.focus()
  }, [preview.error])
  // The rollover that starts is exactly the one that was previewed.
  const isPreviewed = preview.isSuccess && JSON.stringify(preview.variables) === JSON.stringify(wanted)
  return (
    <>
      <NewYear value={newYear} onChange={setNewYear} problems={problems} />
      {kept !== undefined && missing !== undefined && (
        <NewFees {...years} {...{ kept, missing, isWithout }} onWithout={setIsWithout} />
      )}
      {isAnswered && (
        <form
          ref={form}
          className="form rollover-form"
          onSubmit={event => {
            event.preventDefault()
            preview.mutate(wanted)
          }}
        >
          <Stack gap="lg">
            <StructureFile structure={structure} onChange={setStructure} />
            <fieldset>
              <legend>Where each class goes</legend>
              <GradesTable structure={structure} onChange={setStructure} problems={problems} />
            </fieldset>
            {hasStructure ? (
              <p>{`The fees are those of the fee structure of ${yearName(years.to.start, years.to.end)}.`}</p>
            ) : (
              <FeesTable structure={structure} onChange={setStructure} problems={problems} />
            )}
            {ownFees.length > 0 && (
              <p>{`Students of ${ownFees.join(' and ')} get the fees of their own branch’s fee structure.`}</p>
            )}
            <OptionalFeesAhead from={years.from.start} />
            <CarryForward value={carry} onChange={setCarry} problems={problems} />
            <FormProblem error={preview.error} named={problems} />
            <Group>
              <Button type="submit" variant={isPreviewed ? 'default' : 'filled'} loading={preview.isPending}>
                Preview
              </Button>
              {preview.isSuccess && !isPreviewed && <span className="faint">Changed since the preview.</span>}
            </Group>
          </Stack>
        </form>
      )}
      {isAnswered && isPreviewed && preview.data !== undefined && (
        <Preview wanted={wanted} seen={preview.data} kept={hasStructure ? kept : undefined} />
      )}
    </>
  )
}
