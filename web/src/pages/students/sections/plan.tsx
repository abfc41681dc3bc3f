import { Alert, NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PlanAnswer, PlansAnswer } from '../../../../../src/console/students/students.output.ts'
import { useInstitute } from '../../../api/session.ts'
import { Summary, Timeline } from '../../../ui/detail.tsx'
import { counted, formatRupees, Money } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatDay, formatDaysIn, When } from '../../../ui/when.tsx'
import { INSTALMENT_LABELS, MANDATE_LABELS, planLabel, RAIL_LABELS } from '../../flex/texts.ts'
import { usePlan, usePlans } from '../use-student.ts'
import { StudentTable } from '../student-table.tsx'
import { useTechnical } from '../../../ui/technical.ts'
import { sentence } from '../../../ui/words.ts'

const STILL_TO_COME: readonly string[] = ['scheduled', 'confirmed']

/** Instalments that the bank will be asked for, the next one first. */
export function comingDebits(plans: PlansAnswer | undefined): PlansAnswer[number]['payment_schedule'] {
  return (plans ?? [])
    .filter(({ status }) => status === 'active')
    .flatMap(plan => plan.payment_schedule)
    .filter(({ status }) => STILL_TO_COME.includes(status))
    .toSorted((one, other) => one.present_on.localeCompare(other.present_on))
}

/** When the bank is asked next, and for how much. */
export function NextDebit({ id }: { id: string }) {
  const [next] = comingDebits(usePlans(id).data)
  if (next === undefined) return null
  return <div className="faint">{`next ${formatRupees(next.amount)} on ${formatDay(next.present_on)}`}</div>
}

export function PlanSection({ id }: { id: string }) {
  const plans = usePlans(id)
  return (
    <section aria-label="Instalments">
      {plans.isPending && <Loading what="Loading instalments" />}
      {plans.isError && <Failed error={plans.error} retry={() => void plans.refetch()} />}
      {plans.isSuccess && <Chosen id={id} plans={plans.data} />}
    </section>
  )
}

function Chosen({ id, plans }: { id: string; plans: PlansAnswer }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [newest] = plans
  if (newest === undefined)
    return (
      <p className="faint">No instalment plan. The ERP offers one, or the parents choose it themselves.</p>
    )
  const planId = chosen ?? newest.plan_id
  return (
    <>
      {plans.length > 1 && (
        <NativeSelect
          label="Plan"
          mb="sm"
          maw={420}
          value={planId}
          onChange={event => setChosen(event.currentTarget.value)}
          data={plans.map(plan => ({
            value: plan.plan_id,
            label: `${plan.product_name}, ${planLabel(plan).label}, ${formatRupees(plan.total_amount)}`,
          }))}
        />
      )}
      <Plan id={id} planId={planId} />
    </>
  )
}

function Plan({ id, planId }: { id: string; planId: string }) {
  const plan = usePlan(id, planId)
  const { code: institute } = useInstitute()
  if (plan.isPending) return <Loading what="Loading the plan" />
  if (plan.isError) return <Failed error={plan.error} retry={() => void plan.refetch()} />
  const { data } = plan
  const { label, tone } = planLabel(data)
  return (
    <>
      {data.lock_reason !== undefined && (
        <Alert color="red" mb="sm" role="status">
          Nothing is debited: {data.lock_reason}
        </Alert>
      )}
      <Summary
        fields={[
          {
            label: data.product_name,
            value: (
              <>
                <StatusBadge tone={tone}>{label}</StatusBadge>{' '}
                <Link to="/i/$institute/flex/plans/$plan" params={{ institute, plan: planId }}>
                  Open the plan
                </Link>
              </>
            ),
          },
          { label: 'Takes in all', value: formatRupees(data.total_amount) },
          { label: 'Paid by it', value: formatRupees(data.paid_amount) },
          { label: 'Mandate', value: data.mandate && <Mandate mandate={data.mandate} /> },
        ]}
      />
      <Schedule plan={data} />
      <Decisions plan={data} />
    </>
  )
}

function Mandate({ mandate }: { mandate: NonNullable<PlanAnswer['mandate']> }) {
  const { label, tone } = MANDATE_LABELS[mandate.status]
  return (
    <>
      {RAIL_LABELS[mandate.rail]} <StatusBadge tone={tone}>{label}</StatusBadge>
      <div className="faint">
        At most {formatRupees(mandate.max_amount)}, until {formatDay(mandate.end_date)}
      </div>
    </>
  )
}

type Decision = PlanAnswer['decisions'][number]

function Schedule({ plan }: { plan: PlanAnswer }) {
  return (
    <StudentTable name="Instalments with reasons">
      <thead>
        <tr>
          <th scope="col">Due on</th>
          <th scope="col" className="right">
            Amount
          </th>
          <th scope="col">Status</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {plan.payment_schedule.map(row => {
          const { label, tone } = INSTALMENT_LABELS[row.status]
          return (
            <tr key={row.id}>
              <td className="nowrap">
                {formatDay(row.due_date)}
                {row.is_downpayment && <div className="faint">Down payment</div>}
                {row.present_on !== row.due_date && !row.is_downpayment && (
                  <div className="faint">To the bank on {formatDay(row.present_on)}</div>
                )}
              </td>
              <td className="right">
                <Money rupees={row.amount} />
              </td>
              <td>
                <StatusBadge tone={tone}>{label}</StatusBadge>
                {row.attempt > 0 && <div className="faint">{counted(row.attempt, 'attempt')}</div>}
              </td>
              <td className="student-why">
                <Reasons decisions={plan.decisions.filter(one => one.instalment_id === row.id)} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </StudentTable>
  )
}

/** The latest decision on an instalment, and the earlier ones. */
function Reasons({ decisions }: { decisions: readonly Decision[] }) {
  const [last, ...before] = decisions
  if (last === undefined) return <span className="faint">Nothing has been decided yet</span>
  if (before.length === 0) return <Reason decision={last} />
  return (
    <details>
      <summary>
        <Reason decision={last} />
      </summary>
      <ul>
        {before.map((decision, index) => (
          <li key={index}>
            <Reason decision={decision} /> <When at={decision.at} />
          </li>
        ))}
      </ul>
    </details>
  )
}

/** What the ERP says begins with its code, which helps the people who run the ERP. */
function Reason({ decision: { what, why } }: { decision: Decision }) {
  const [isTechnical] = useTechnical()
  const [, code, words] = /^([a-z_]+): (.+)$/s.exec(why) ?? []
  return (
    <>
      {sentence(what)}: {formatDaysIn(words ?? why)}
      {isTechnical && code !== undefined && <span className="faint"> ({code})</span>}
    </>
  )
}

/** What was decided of the plan and its mandate; of instalments it stands beside them. */
function Decisions({ plan }: { plan: PlanAnswer }) {
  const own = plan.decisions.filter(one => one.instalment_id === undefined)
  if (own.length === 0) return null
  return (
    <details>
      <summary className="faint">What was decided about the plan itself: {own.length}</summary>
      <Timeline
        entries={own.map((one, index) => ({
          id: String(index),
          at: one.at,
          title: sentence(one.what),
          why: formatDaysIn(one.why),
          raw: one,
        }))}
      />
    </details>
  )
}
