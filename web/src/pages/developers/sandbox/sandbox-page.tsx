import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ClockAnswer, MovedAnswer } from '../../../../../src/sandbox/clock/clock.routes.ts'
import type { TriggeredAnswer } from '../../../../../src/sandbox/trigger/trigger.routes.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath, useMay, useSession } from '../../../api/session.ts'
import { formatCount } from '../../../ui/money.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { formatMoment } from '../../../ui/when.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { MagicValues } from './magic-values.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useBranches } from '../use-branches.ts'
import { EVENT_CHOICES } from '../texts.ts'

/** The sandbox: clock, test events, mailbox and magic amounts. */
export function SandboxPage() {
  const isSandbox = useSession()?.mode === 'sandbox'
  const mayPlay = useMay('owner', 'developer', 'operator')
  if (!isSandbox) {
    return (
      <DevelopersFrame here="sandbox">
        <Empty title="This is live" description="The clock can only be moved in a sandbox." />
      </DevelopersFrame>
    )
  }
  return (
    <DevelopersFrame here="sandbox">
      <Clock mayPlay={mayPlay} />
      {mayPlay && <Trigger />}
      <section className="card" aria-label="Mailbox">
        <h2 className="section-title">Mailbox</h2>
        <p>
          Nobody is written to: e-mails, SMS and WhatsApp messages stay in{' '}
          <a href="/sandbox/mailbox" target="_blank" rel="noreferrer">
            the mailbox
          </a>
          .
        </p>
      </section>
      <MagicValues />
    </DevelopersFrame>
  )
}

const STEPS = [
  { advance: 'PT1H', label: 'An hour' },
  { advance: 'P1D', label: 'A day' },
  { advance: 'P1W', label: 'A week' },
  { advance: 'P1M', label: 'A month' },
] as const

function Clock({ mayPlay }: { mayPlay: boolean }) {
  const path = useInstitutePath()
  const client = useQueryClient()
  const [text, setText] = useState('')
  const clock = useQuery({
    queryKey: ['clock', path],
    queryFn: ({ signal }) => get<ClockAnswer>(`${path}/sandbox/clock`, {}, signal),
    refetchInterval: 30_000,
  })
  const move = useCommand<{ advance: string }, MovedAnswer>({
    method: 'POST',
    path: `${path}/sandbox/clock`,
    // Whatever is shown anywhere may have changed.
    onDone: () => void client.invalidateQueries(),
  })
  if (clock.isPending) return <Loading />
  if (clock.isError) return <Failed error={clock.error} retry={() => void clock.refetch()} />
  return (
    <section className="card" aria-label="Clock">
      <h2 className="section-title">Clock</h2>
      <p>
        It is <strong>{formatMoment(clock.data.now)}</strong> in the sandbox, for all its institutes. Really
        it is {formatMoment(clock.data.real_now)}.
      </p>
      {mayPlay && (
        <>
          <p className="faint">
            Move it forward: everything that becomes due happens in order. It cannot go back.
          </p>
          <Group gap="xs">
            {STEPS.map(({ advance, label }) => (
              <Button
                key={advance}
                variant="default"
                disabled={move.isPending}
                onClick={() => move.mutate({ advance })}
              >
                {label}
              </Button>
            ))}
          </Group>
          <form
            onSubmit={event => {
              event.preventDefault()
              move.mutate({ advance: text.trim() })
            }}
          >
            <Group align="end" gap="xs" mt="xs">
              <TextInput
                label="Another duration"
                placeholder="P1Y, P10D, PT6H"
                required
                value={text}
                onChange={event => setText(event.currentTarget.value)}
                error={problemOf(move.error, 'advance')}
              />
              <Button type="submit" variant="default" loading={move.isPending}>
                Move
              </Button>
            </Group>
          </form>
        </>
      )}
      <Problem error={move.error} />
      <div aria-live="polite" className="spaced">
        {move.data !== undefined && <Done moved={move.data} />}
      </div>
    </section>
  )
}

const DONE_LABELS: Record<string, string> = {
  orders_expired: 'Orders and links expired',
  bank_confirms: 'Answers of the bank',
  payments_checked: 'Payments asked for at the bank',
  refunds_sent: 'Refunds sent',
  items_settled: 'Payments settled to bank',
  approvals_expired: 'Requests for approval expired',
  rollovers_advanced: 'Students rolled over to the next year',
  mandates_checked: 'Mandates asked for at the bank',
  instalments_stepped: 'Instalments to process',
  loans_checked: 'Loans asked for at the lender',
  reminders_decided: 'Reminders decided on',
  bounces_notified: 'Families notified of returned debits',
  sums_counted: 'Changes counted in the sums of Home and dues',
  messages_sent: 'Messages sent',
}

function Done({ moved: { now, summary, failed = {} } }: { moved: MovedAnswer }) {
  const done = Object.entries(summary).filter(([kind, count]) => count > 0 && kind !== 'work_failed')
  const failures = Object.entries(failed)
  return (
    <>
      <p>It is {formatMoment(now)} now. On the way:</p>
      {done.length === 0 ? (
        <p>Nothing fell due.</p>
      ) : (
        <ul>
          {done.map(([kind, count]) => (
            <li key={kind}>
              {DONE_LABELS[kind] ?? kind.replaceAll('_', ' ')}: {formatCount(count)}
            </li>
          ))}
        </ul>
      )}
      {failures.length > 0 && (
        <>
          <p>Failed, and tried again later:</p>
          <ul>
            {failures.map(([kind, count]) => (
              <li key={kind}>
                {DONE_LABELS[kind] ?? kind.replaceAll('_', ' ')}: {formatCount(count)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function Trigger() {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const branches = useBranches()
  const [event, setEvent] = useState('pay.payment.debited')
  const [branch, setBranch] = useState('')
  const trigger = useCommand<{ event_code: string; collector_code?: string | undefined }, TriggeredAnswer>({
    method: 'POST',
    path: `${path}/sandbox/events`,
    refreshes: ['events', 'deliveries', 'webhooks'],
    onDone: ({ subscriptions }) =>
      notify(
        subscriptions === 0
          ? 'Recorded. No webhook asks for it yet.'
          : 'Recorded, and on its way to your webhook.',
      ),
  })
  return (
    <section className="card" aria-label="Trigger an event">
      <h2 className="section-title">Trigger an event</h2>
      <p className="faint">With a made-up payload, delivered like any other. Nothing else happens.</p>
      <Group align="end" gap="xs">
        <NativeSelect
          label="Event"
          maw="100%"
          data={EVENT_CHOICES}
          value={event}
          onChange={change => setEvent(change.currentTarget.value)}
        />
        {branches.length > 1 && (
          <NativeSelect
            label="Branch"
            data={branches.map(({ collector_code: value, name }) => ({ value, label: name }))}
            value={branch || branches[0]?.collector_code}
            onChange={change => setBranch(change.currentTarget.value)}
          />
        )}
        <Button
          variant="default"
          loading={trigger.isPending}
          onClick={() =>
            trigger.mutate({ event_code: event, collector_code: branch || branches[0]?.collector_code })
          }
        >
          Trigger
        </Button>
      </Group>
      <Problem error={trigger.error} />
      {trigger.data !== undefined && (
        <p>
          <Link
            to="/i/$institute/developers/deliveries"
            params={{ institute }}
            search={{ event_id: trigger.data.event_id }}
          >
            Its deliveries
          </Link>
        </p>
      )}
    </section>
  )
}
