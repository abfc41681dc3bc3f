import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { PlanAnswer } from '../../../../../src/console/flex/plan.schemas.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { Detail, Summary } from '../../../ui/detail.tsx'
import { formatRupees, sumRupees } from '../../../ui/money.tsx'
import { AwaitedPage } from '../../../ui/page.tsx'
import { providerName } from '../../../ui/provider-name.ts'
import { readable } from '../../../ui/words.ts'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatDay, When } from '../../../ui/when.tsx'
import { FlexTabs } from '../flex-frame.tsx'
import { ChargeDialogue, PlanActDialogue, type PlanAct } from './actions.tsx'
import { PlanSchedule } from './schedule.tsx'
import { PlanTimeline } from './timeline.tsx'
import { ENDED_LABELS, isOver, MANDATE_LABELS, planLabel, RAIL_LABELS } from '../texts.ts'

/** One plan: status, mandate, schedule and timeline. */
export function FlexPlanPage() {
  const path = useInstitutePath()
  const { plan: id = '' } = useParams({ strict: false })
  const plan = useQuery({
    queryKey: ['flex', path, 'plan', id],
    queryFn: ({ signal }) => get<PlanAnswer>(`${path}/flex/plans/${encodeURIComponent(id)}`, {}, signal),
  })
  return (
    <>
      <FlexTabs here="plans" />
      {plan.isSuccess ? <Plan plan={plan.data} /> : <AwaitedPage kind="Plan" query={plan} />}
    </>
  )
}

const TO_PAY: readonly string[] = ['bounced', 'due', 'reversed']

/** What the bank returned for good stands first, with what to do. */
function CameBack({ plan }: { plan: PlanAnswer }) {
  const { code: institute } = useInstitute()
  const rows = plan.payment_schedule.filter(({ status }) => TO_PAY.includes(status))
  if (rows.length === 0) return null
  const amount = formatRupees(sumRupees(rows.map(row => row.amount)))
  return (
    <Alert
      color="yellow"
      title={`${amount} of this plan came back or was not debited, and is to be paid online`}
      mt="md"
      className="flex-alert"
    >
      {rows.length === 1 ? 'The instalment was' : 'The instalments were'} due on{' '}
      {rows.map(row => formatDay(row.due_date)).join(', ')}. The family was told; its page asks for it.{' '}
      <Link to="/i/$institute/students/$student" params={{ institute, student: plan.student.id }}>
        Send a payment link, or take it at the counter
      </Link>
    </Alert>
  )
}

function Plan({ plan }: { plan: PlanAnswer }) {
  const { label, tone } = planLabel(plan)
  const { code: institute } = useInstitute()
  return (
    <Detail
      title={plan.student.fullname}
      status={<StatusBadge tone={tone}>{label}</StatusBadge>}
      actions={<Acts plan={plan} />}
      fields={[
        { label: 'Paid', value: `${formatRupees(plan.paid_amount)} of ${formatRupees(plan.total_amount)}` },
        {
          label: 'Left to pay outside of the plan',
          value: plan.outside_amount && formatRupees(plan.outside_amount),
        },
        {
          label: 'Admission number',
          value: (
            <Link to="/i/$institute/students/$student" params={{ institute, student: plan.student.id }}>
              {plan.student.identifier}
            </Link>
          ),
        },
        { label: 'Class and branch', value: `${plan.student.grade}, ${plan.student.branch}` },
        { label: 'Student is', value: plan.student.status === 'dropped' ? 'Dropped' : undefined },
        { label: 'Contact', value: <Contact student={plan.student} /> },
        { label: 'Product', value: plan.product_name },
        { label: 'Schedule', value: plan.is_custom ? 'Made by the ERP' : 'Equal monthly parts' },
        { label: 'Set up', value: plan.set_up_at && <When at={plan.set_up_at} /> },
        {
          label: 'Page of the family',
          value: (
            <a href={plan.redirect_url} target="_blank" rel="noreferrer">
              Open
            </a>
          ),
        },
      ]}
    >
      <CameBack plan={plan} />
      {plan.obstacle !== undefined && (
        <Alert
          color={plan.obstacle.kind === 'mandate_ended' ? 'red' : 'yellow'}
          title={plan.obstacle.title}
          mt="md"
          className="flex-alert"
        >
          {plan.obstacle.text}
        </Alert>
      )}
      {plan.status === 'cancelling' && (
        <Alert color="yellow" title="A debit is at the bank" mt="md" className="flex-alert">
          The plan is cancelled, and nothing more is debited. When the bank has answered, the mandate ends
          too.
        </Alert>
      )}
      {plan.student.mandate_branch !== undefined && (
        <Alert color="yellow" mt="md" className="flex-alert">
          The student is in {plan.student.branch} now. The mandate was given to {plan.student.mandate_branch},
          so debits go on arriving at its account until the plan ends. A new mandate would debit for{' '}
          {plan.student.branch}.
        </Alert>
      )}
      <Mandate plan={plan} />
      <PlanSchedule plan={plan} />
      <PlanTimeline entries={plan.timeline} />
      <p>
        <Link to="/i/$institute/flex/plans" params={{ institute }}>
          All plans
        </Link>
      </p>
    </Detail>
  )
}

function Contact({ student }: { student: PlanAnswer['student'] }) {
  return (
    <>
      {student.contact_name}
      <div className="faint">
        {student.contact_number}
        <br />
        {student.contact_email}
      </div>
    </>
  )
}

function Mandate({ plan: { mandate } }: { plan: PlanAnswer }) {
  if (mandate === undefined)
    return (
      <>
        <h2 className="section-title">Mandate</h2>
        <p className="faint">None yet. The family authorises it when setting up the plan.</p>
      </>
    )
  const { label, tone } = MANDATE_LABELS[mandate.status]
  const ended = mandate.npci_category_code
  return (
    <>
      <h2 className="section-title">
        Mandate <StatusBadge tone={tone}>{label}</StatusBadge>
      </h2>
      <Summary
        fields={[
          { label: 'UMRN', value: mandate.umrn && <span className="mono">{mandate.umrn}</span> },
          {
            label: 'UPI reference',
            value: mandate.upi_reference && <span className="mono">{mandate.upi_reference}</span>,
          },
          { label: 'By', value: RAIL_LABELS[mandate.rail] },
          { label: 'At most, a debit', value: formatRupees(mandate.max_amount) },
          { label: 'Single charges agreed to', value: mandate.charge_components?.map(readable).join(', ') },
          { label: 'From', value: formatDay(mandate.start_date) },
          { label: 'Until', value: formatDay(mandate.end_date) },
          { label: 'Authorised', value: mandate.authorised_at && <When at={mandate.authorised_at} /> },
          { label: 'Kept by', value: providerName(mandate.provider) },
          { label: 'Ended because', value: ended && (ENDED_LABELS[ended] ?? ended) },
        ]}
      />
    </>
  )
}

/** What can be done with the plan as it stands. */
function actsFor({ status, is_held: isHeld, obstacle }: PlanAnswer): PlanAct[] {
  if (isOver(status)) return []
  // What the payer has paused in the UPI app only the payer can resume; the school may hold it besides.
  const isPaused = obstacle?.kind === 'payer_paused'
  const canResume = (isHeld && !isPaused) || obstacle?.kind === 'student_transferred'
  const canHold = (!isHeld || isPaused) && status !== 'draft'
  return [...(canHold ? ['hold' as const] : []), ...(canResume ? ['resume' as const] : []), 'cancel']
}

const VERBS: Record<PlanAct, string> = { hold: 'Hold', resume: 'Resume', cancel: 'Cancel the plan' }

function Acts({ plan }: { plan: PlanAnswer }) {
  const mayAct = useMay('owner', 'finance')
  const [action, setAction] = useState<PlanAct | null>(null)
  const [isCharging, setIsCharging] = useState(false)
  if (!mayAct) return null
  const { charge_terms: terms } = plan
  return (
    <>
      {terms !== undefined && (
        <Button variant="default" size="sm" onClick={() => setIsCharging(true)}>
          Charge once
        </Button>
      )}
      {isCharging && terms !== undefined && (
        <ChargeDialogue plan={plan} terms={terms} onClose={() => setIsCharging(false)} />
      )}
      {actsFor(plan).map(name => (
        <Button
          key={name}
          variant={name === 'resume' ? 'filled' : 'default'}
          size="sm"
          onClick={() => setAction(name)}
        >
          {VERBS[name]}
        </Button>
      ))}
      {action !== null && <PlanActDialogue action={action} plan={plan} onClose={() => setAction(null)} />}
    </>
  )
}
