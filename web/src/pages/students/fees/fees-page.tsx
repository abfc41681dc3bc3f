import '../students.css'
import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { StructureAnswer } from '../../../../../src/fees/structures/structure.schemas.ts'
import { get } from '../../../api/client.ts'
import { problemOf, problemsOf, useCommand, wholeProblem } from '../../../api/command.ts'
import { ProblemAlert } from '../../../ui/problem.tsx'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { PageFrame } from '../../../ui/page.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { yearName } from '../../../ui/when.tsx'
import { Crumbs, type Crumb } from '../../../ui/link/crumbs.tsx'
import { useChoices } from '../../../api/choices.ts'
import { useCurrentYear } from '../use-student.ts'
import { isKept } from '../../approvals/kept.ts'
import { ApplyClasses } from './apply-classes.tsx'
import { FollowsSchool, OwnStructure } from './branch.tsx'
import { ConcessionRules } from './concession-rules.tsx'
import { flawsOf, toDraft, toSent, type Draft, type Flaws, type SentStructure } from './draft.ts'
import { ErpLock } from './erp-lock.tsx'
import { TermTable } from './term-table.tsx'
import { WhyLower } from './why-lower.tsx'

const TRAIL: readonly Crumb[] = [{ label: 'Students', to: '/i/$institute/students' }]

/** What a year costs, for each class, fee and term. */
export function FeesPage() {
  const [year, setYear] = useState(String(useCurrentYear()))
  const [branch, setBranch] = useState('')
  const branches = useChoices().branches
  const isYear = /^20\d\d$/.test(year)
  return (
    <PageFrame title="Fee structure" back={<Crumbs trail={TRAIL} />}>
      <Group align="flex-start" mb="md">
        <TextInput
          label="The academic year begins in"
          description={isYear ? `Fees of ${yearName(Number(year), Number(year) + 1)}.` : undefined}
          error={isYear ? undefined : 'Must be a year such as 2026'}
          w={280}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={year}
          onChange={event => setYear(event.currentTarget.value)}
        />
        {branches.length > 1 && (
          <NativeSelect
            label="Branch"
            w={280}
            value={branch}
            onChange={event => setBranch(event.currentTarget.value)}
            data={[
              { value: '', label: 'Shared: branches without their own' },
              ...branches.map(({ code, name }) => ({ value: code, label: name })),
            ]}
          />
        )}
      </Group>
      {isYear && (
        <OfYear
          key={`${year} ${branch}`}
          year={Number(year)}
          branch={branches.find(({ code }) => code === branch)}
        />
      )}
      <ErpLock />
    </PageFrame>
  )
}

type Branch = { code: string; name: string }

function OfYear({ year, branch }: { year: number; branch: Branch | undefined }) {
  const ofYear = `${useInstitutePath()}/fee-structures/${year}/${year + 1}`
  const path = branch === undefined ? ofYear : `${ofYear}/branches/${encodeURIComponent(branch.code)}`
  const [isNew, setIsNew] = useState(false)
  const choices = useChoices()
  const structure = useQuery({
    queryKey: ['fee-structure', path],
    queryFn: ({ signal }) => get<StructureAnswer>(path, {}, signal),
  })
  if (structure.isError) return <Failed error={structure.error} retry={() => void structure.refetch()} />
  if (choices.error !== null) return <Failed error={choices.error} retry={choices.retry} />
  if (!structure.isSuccess || !choices.isLoaded) return <Loading />
  const known = {
    grades: choices.grades.map(one => one.code),
    heads: choices.components.map(one => one.code),
  }
  const isOwn = structure.data.collector_code !== undefined
  if (branch !== undefined && !isOwn && !isNew)
    return <FollowsSchool branch={branch} onOwn={() => setIsNew(true)} />
  return (
    <>
      {branch !== undefined && isOwn && (
        <OwnStructure branch={branch} path={path} onDropped={() => setIsNew(false)} />
      )}
      <StructureForm path={path} known={known} saved={structure.data} />
      {structure.data.amounts.length > 0 && (branch === undefined || isOwn) && (
        <ApplyClasses path={path} structure={structure.data} />
      )}
    </>
  )
}

/** Not fees of a year: charged by themselves, or one term of a fee. */
const OWN_CHARGES = /^(LATE_FEE|CHEQUE_|PREVIOUS_YEAR_)|_TERM_\d+$/

function StructureForm({
  path,
  known,
  saved,
}: {
  path: string
  known: { grades: string[]; heads: string[] }
  saved: StructureAnswer
}) {
  const mayChange = useMay('owner', 'finance')
  const heads = known.heads.filter(code => !OWN_CHARGES.test(code))
  const [draft, setDraft] = useState(() => toDraft(saved, { ...known, heads }))
  const [reason, setReason] = useState('')
  const save = useCommand<SentStructure & { reason: string }>({
    method: 'PUT',
    path,
    refreshes: ['fee-structure', 'choices', 'audit'],
    onDone(answer) {
      if (!isKept(answer)) notify('The fee structure is saved. Apply it to the classes below.')
    },
  })
  const whyMissing = problemOf(save.error, 'reason')
  const flaws = flawsOf(
    problemsOf(save.error).filter(({ key }) => key !== 'reason'),
    save.variables,
  )
  return (
    <form
      className="form rollover-form"
      aria-label="Fee structure"
      onSubmit={event => {
        event.preventDefault()
        save.mutate({ ...toSent(draft, known.heads), reason })
      }}
    >
      <Stack gap="md">
        <OwnOrder draft={draft} flaws={flaws} onChange={setDraft} />
        {draft.terms.map((term, index) => (
          // A term is known by its place alone while its name is being typed.
          <TermTable
            key={index}
            no={index + 1}
            term={term}
            draft={draft}
            flaws={flaws}
            known={known.heads}
            onChange={setDraft}
          />
        ))}
        <Group>
          <Button
            variant="default"
            onClick={() =>
              setDraft({
                ...draft,
                terms: [...draft.terms, { name: `Term ${draft.terms.length + 1}`, due_date: '' }],
              })
            }
          >
            Add a term
          </Button>
        </Group>
        <ConcessionRules draft={draft} flaws={flaws} path={path} onChange={setDraft} />
        <WhatIsWrong error={save.error} flaws={flaws} />
        {(reason !== '' || whyMissing !== undefined) && (
          <WhyLower value={reason} onChange={setReason} error={whyMissing} />
        )}
        {mayChange ? (
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save the fee structure
            </Button>
          </Group>
        ) : (
          <p className="faint">An owner or somebody from finance can change it.</p>
        )}
      </Stack>
    </form>
  )
}

function OwnOrder({
  draft,
  flaws,
  onChange,
}: {
  draft: Draft
  flaws: Flaws
  onChange: (draft: Draft) => void
}) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label="Classes"
        description="The lowest first, with commas between them."
        placeholder="Nursery, LKG, UKG, 1, 2, 3"
        value={draft.grades}
        error={flaws.grades}
        onChange={event => onChange({ ...draft, grades: event.currentTarget.value })}
      />
      <TextInput
        label="Fees"
        description="In the order in which they are shown and paid."
        placeholder="Tuition fee, Transport fee"
        value={draft.heads}
        error={flaws.heads}
        onChange={event => onChange({ ...draft, heads: event.currentTarget.value })}
      />
    </SimpleGrid>
  )
}

function WhatIsWrong({ error, flaws }: { error: Error | null; flaws: Flaws }) {
  if (error === null) return null
  const problem = wholeProblem(error)
  return (
    <ProblemAlert>
      {problem ?? 'Nothing was saved yet: correct the fields that are marked.'}
      {flaws.others.map(message => (
        <p key={message}>{message}</p>
      ))}
    </ProblemAlert>
  )
}
