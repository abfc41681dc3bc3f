import { Alert, Button, Checkbox, Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  BillerPageAnswer,
  CredentialsAnswer,
  TriedAnswer,
  UnpaidRefundAnswer,
} from '../../../../src/console/settings/bharat-connect.routes.ts'
import { get } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { Summary } from '../../ui/detail.tsx'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { CopyButton } from '../../ui/link/copy-button.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { ShortTable } from '../../ui/table/short-table.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

type Known = BillerPageAnswer

const STATES: Record<Known['state'], { tone: 'good' | 'waiting' | 'plain'; label: string }> = {
  none: { tone: 'plain', label: 'Not set up' },
  off: { tone: 'plain', label: 'Off' },
  waiting: { tone: 'waiting', label: 'Waiting for the first call' },
  on: { tone: 'good', label: 'On' },
}

const SECONDS: Record<Known['second_identifier'], string> = {
  date_of_birth: 'Date of birth',
  phone: 'Phone of the family',
}

const AMOUNTS: Record<Known['amount_rule'], { label: string; description: string }> = {
  part_payments: {
    label: 'As the rule for part payments says',
    description:
      'The whole bill where you take no parts, at least the least part where you have one, any amount otherwise.',
  },
  exact: { label: 'The whole bill', description: 'The app takes exactly what is due.' },
  at_least: {
    label: 'At least',
    description:
      'The least part, or the whole bill where you have none, or more. What is more than due is an advance.',
  },
  any: { label: 'Any amount', description: 'The family chooses how much it pays.' },
}

/** The school as a biller in payment apps. */
export function BharatConnectPage() {
  const path = `${useInstitutePath()}/bharat-connect`
  const mayChange = useMay('owner', 'operator')
  const mayTry = useMay('owner', 'finance')
  const page = useQuery({
    queryKey: ['bharat-connect', path],
    queryFn: ({ signal }) => get<Known>(path, {}, signal),
  })
  return (
    <PageFrame title="Settings">
      <SettingsTabs here="bharat-connect" />
      {page.isPending && <Loading />}
      {page.isError && <Failed error={page.error} retry={() => void page.refetch()} />}
      {page.isSuccess && (
        <Stack gap="xl">
          <State known={page.data} />
          {mayChange ? (
            <BillerForm key={page.data.state} known={page.data} path={path} />
          ) : (
            <p className="faint">An owner can change it.</p>
          )}
          {page.data.state !== 'none' && (
            <>
              <AtUnit known={page.data} path={path} mayChange={mayChange} />
              {mayTry && page.data.state !== 'off' && <Try known={page.data} path={path} />}
              <Refunds path={path} mayPay={mayTry} />
            </>
          )}
        </Stack>
      )}
    </PageFrame>
  )
}

function State({ known }: { known: Known }) {
  const { tone, label } = STATES[known.state]
  return (
    <div>
      <Group gap="sm" mb="xs">
        <h2 className="section-title">Bharat Connect</h2>
        <StatusBadge tone={tone}>{label}</StatusBadge>
      </Group>
      <p>
        Families find the school under Education in their UPI or banking app, type the admission number, see
        what is due and pay it there. An operating unit such as Setu connects the school to the network.
      </p>
      {known.state !== 'none' && (
        <Summary
          fields={[
            {
              label: 'Families are asked for',
              value: `Admission number and ${SECONDS[known.second_identifier].toLowerCase()}`,
            },
            { label: 'An app takes', value: AMOUNTS[known.amount_rule].label },
            {
              label: 'Last call',
              value: known.heard_at === undefined ? 'None yet' : <When at={known.heard_at} />,
            },
          ]}
        />
      )}
    </div>
  )
}

type Draft = Pick<Known, 'second_identifier' | 'amount_rule'> & { is_on: boolean }

function BillerForm({ known, path }: { known: Known; path: string }) {
  const { second_identifier, amount_rule, state } = known
  const before: Draft = { second_identifier, amount_rule, is_on: state === 'waiting' || state === 'on' }
  const [draft, setDraft] = useState<Draft>({ ...before, is_on: state === 'none' || before.is_on })
  const [isAsking, setIsAsking] = useState(false)
  const change = useCommand<Draft & { reason: string }>({
    method: 'PUT',
    path,
    refreshes: ['bharat-connect', 'audit'],
    onDone() {
      notify('Saved. Apps follow with the next bill.')
      setIsAsking(false)
    },
  })
  const isSame = state !== 'none' && JSON.stringify(before) === JSON.stringify(draft)
  return (
    <Stack maw={640}>
      <Checkbox
        label="Show bills in payment apps"
        description="Without it nothing is shown. Money that is already on its way is taken all the same."
        checked={draft.is_on}
        onChange={event => setDraft({ ...draft, is_on: event.currentTarget.checked })}
      />
      <NativeSelect
        label="Beside the admission number, families type"
        value={draft.second_identifier}
        data={Object.entries(SECONDS).map(([value, label]) => ({ value, label }))}
        onChange={event =>
          setDraft({ ...draft, second_identifier: event.currentTarget.value as Draft['second_identifier'] })
        }
      />
      <Radio.Group
        label="An app takes"
        value={draft.amount_rule}
        onChange={value => setDraft({ ...draft, amount_rule: value })}
      >
        <Stack gap="xs" mt="xs">
          {Object.entries(AMOUNTS).map(([value, { label, description }]) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      <Button w="fit-content" disabled={isSame} onClick={() => setIsAsking(true)}>
        {state === 'none' ? 'Set up' : 'Save'}
      </Button>
      {isAsking && (
        <ConfirmWithReason
          isOpen
          onClose={() => setIsAsking(false)}
          title={state === 'none' ? 'Become a biller?' : 'Change how bills are shown?'}
          description="What families type is entered at the operating unit too; change it there at the same time."
          verb={state === 'none' ? 'Set up' : 'Save'}
          isBusy={change.isPending}
          error={change.error}
          onConfirm={reason => change.mutate({ ...draft, reason })}
        />
      )}
    </Stack>
  )
}

/** What is entered at the unit. */
function AtUnit({ known, path, mayChange }: { known: Known; path: string; mayChange: boolean }) {
  const [issued, setIssued] = useState<CredentialsAnswer | null>(null)
  const renew = useCommand<void, CredentialsAnswer>({
    method: 'POST',
    path: `${path}/credentials`,
    withoutKey: true,
    body: () => ({}),
    refreshes: ['bharat-connect', 'audit'],
    onDone: setIssued,
  })
  return (
    <div>
      <h2 className="section-title">At the operating unit</h2>
      <Summary
        fields={[
          { label: 'Base URL and callback URL', value: <code className="mono">{known.base_url}</code> },
          { label: 'Authentication', value: 'JWT' },
          { label: 'Scheme id', value: <code className="mono">{known.scheme_id}</code> },
          {
            label: 'Customer identifiers',
            value: <code className="mono">admission_number, {known.second_identifier}</code>,
          },
        ]}
      />
      <Group>
        <CopyButton text={known.base_url}>Copy the address</CopyButton>
        {mayChange && (
          <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
            Make a new secret
          </Button>
        )}
      </Group>
      <Problem error={renew.error} />
      {mayChange && (
        <p className="faint">
          The scheme id and secret before go on for two weeks, because the unit takes some days to check a
          change.
        </p>
      )}
      {issued !== null && (
        <Dialogue isKept onClose={() => setIssued(null)} title="Scheme id and secret for the operating unit">
          <p>Enter both at the unit now. The secret is shown only once.</p>
          <p className="faint">Scheme id</p>
          <code className="secret mono">{issued.scheme_id}</code>
          <p className="faint">Secret</p>
          <code className="secret mono">{issued.secret}</code>
          <Group justify="flex-end" mt="md">
            <CopyButton text={issued.secret}>Copy the secret</CopyButton>
            <Button onClick={() => setIssued(null)}>I have entered it</Button>
          </Group>
        </Dialogue>
      )}
    </div>
  )
}

function Try({ known, path }: { known: Known; path: string }) {
  const [admission, setAdmission] = useState('')
  const [second, setSecond] = useState('')
  const attempt = useCommand<{ admission_number: string; second: string }, TriedAnswer>({
    method: 'POST',
    path: `${path}/try`,
    refreshes: ['audit'],
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        attempt.mutate({ admission_number: admission, second })
      }}
    >
      <Stack maw={640}>
        <h2 className="section-title">See what an app would show</h2>
        <TextInput
          label="Admission number"
          required
          value={admission}
          onChange={event => setAdmission(event.currentTarget.value)}
          error={problemOf(attempt.error, 'admission_number')}
        />
        <TextInput
          label={SECONDS[known.second_identifier]}
          description={
            known.second_identifier === 'date_of_birth'
              ? 'Day, month and year, such as 20-06-2015'
              : undefined
          }
          required
          value={second}
          onChange={event => setSecond(event.currentTarget.value)}
          error={problemOf(attempt.error, 'second')}
        />
        <Button type="submit" w="fit-content" variant="default" loading={attempt.isPending}>
          Look
        </Button>
        <Problem error={attempt.error} />
        {attempt.data !== undefined && <Tried answer={attempt.data} />}
      </Stack>
    </form>
  )
}

const TAKES: Record<NonNullable<TriedAnswer['exactness']>, string> = {
  exact: 'Exactly this amount',
  at_least: 'This amount or more',
  any: 'Any amount',
}

function Tried({ answer }: { answer: TriedAnswer }) {
  if (answer.outcome === 'unknown_customer')
    return (
      <Alert color="yellow" title="The app finds nobody">
        The family would read that there is no such customer. Check both as they stand on the student’s page.
        After ten wrong answers for one admission number the next one has to wait.
      </Alert>
    )
  if (answer.outcome === 'nothing_due') return <Alert title={`${answer.customer_name}: nothing is due`} />
  return (
    <Summary
      fields={[
        { label: 'Student', value: answer.customer_name },
        { label: 'Amount in the app', value: formatRupees(answer.amount ?? 0) },
        { label: 'Due in all', value: formatRupees(answer.total ?? 0) },
        { label: 'The app takes', value: answer.exactness === undefined ? '' : TAKES[answer.exactness] },
        { label: 'Fees', value: (answer.lines ?? []).join(', ') },
      ]}
    />
  )
}

/** The network sends nothing back, so the office does. */
function Refunds({ path, mayPay }: { path: string; mayPay: boolean }) {
  const [paying, setPaying] = useState<UnpaidRefundAnswer | null>(null)
  const refunds = useQuery({
    queryKey: ['bharat-connect', path, 'refunds'],
    queryFn: ({ signal }) => get<UnpaidRefundAnswer[]>(`${path}/refunds`, {}, signal),
  })
  if (!refunds.isSuccess || refunds.data.length === 0) return null
  return (
    <div>
      <h2 className="section-title">To be sent back by bank transfer</h2>
      <ShortTable
        name="Refunds to be transferred"
        rows={refunds.data}
        rowId={({ refund_id: id }) => id}
        columns={[
          {
            title: 'Family',
            cell: row => (
              <>
                {row.payer_name}
                <div className="faint">
                  {row.payer_phone}
                  {row.student_name === undefined ? '' : `, for ${row.student_name}`}
                </div>
              </>
            ),
          },
          { title: 'Amount', isAmount: true, cell: row => formatRupees(row.amount) },
          { title: 'Asked', cell: row => <When at={row.asked_at} /> },
          {
            title: 'Actions',
            isAction: true,
            cell: row =>
              mayPay && (
                <Button variant="default" size="xs" onClick={() => setPaying(row)}>
                  Transferred
                </Button>
              ),
          },
        ]}
      />
      {paying !== null && <Transferred refund={paying} path={path} onClose={() => setPaying(null)} />}
    </div>
  )
}

function Transferred({
  refund,
  path,
  onClose,
}: {
  refund: UnpaidRefundAnswer
  path: string
  onClose: () => void
}) {
  const [utr, setUtr] = useState('')
  const pay = useCommand<{ utr: string }>({
    method: 'POST',
    path: `${path}/refunds/${refund.refund_id}/pay`,
    refreshes: ['bharat-connect', 'audit'],
    onDone() {
      notify('The refund is recorded as made.')
      onClose()
    },
  })
  return (
    <Dialogue onClose={onClose} title={`${formatRupees(refund.amount)} to ${refund.payer_name}`}>
      <form
        onSubmit={event => {
          event.preventDefault()
          pay.mutate({ utr })
        }}
      >
        <Stack>
          <p>Transfer it from the school’s bank account first. The family is told that it was refunded.</p>
          <TextInput
            label="Reference of the transfer (UTR)"
            required
            value={utr}
            onChange={event => setUtr(event.currentTarget.value)}
            error={problemOf(pay.error, 'utr')}
          />
          <Problem error={pay.error} />
          <Button type="submit" loading={pay.isPending}>
            Record the transfer
          </Button>
        </Stack>
      </form>
    </Dialogue>
  )
}
