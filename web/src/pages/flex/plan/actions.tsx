import { Select } from '@mantine/core'
import { useState } from 'react'
import type { PlanAnswer } from '../../../../../src/console/flex/plan.schemas.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { counted, formatRupees } from '../../../ui/money.tsx'
import { readable } from '../../../ui/words.ts'
import { notify } from '../../../ui/toasts.tsx'
import { formatDay } from '../../../ui/when.tsx'
import { isKept } from '../../approvals/kept.ts'

export type PlanAct = 'hold' | 'resume' | 'cancel'

type Instalment = PlanAnswer['payment_schedule'][number]
type Words = {
  title: string
  verb: string
  isDangerous: boolean
  done: string
  description: (plan: PlanAnswer) => string
}

const WORDS: Record<PlanAct, Words> = {
  hold: {
    title: 'Hold this plan?',
    verb: 'Hold the plan',
    isDangerous: false,
    done: 'The plan is held.',
    description: plan =>
      `Nothing is debited from ${plan.student.contact_name} until you resume it.${toldWords(plan, 'Notices given for')} What is at the bank now is still collected.`,
  },
  resume: {
    title: 'Resume this plan?',
    verb: 'Resume the plan',
    isDangerous: false,
    done: 'The plan goes on.',
    description: () =>
      'Debits go on. What is overdue is presented on the next working day that leaves time to tell the family a day before.',
  },
  cancel: {
    title: 'Cancel this plan for good?',
    verb: 'Cancel the plan',
    isDangerous: true,
    done: 'The plan is cancelled.',
    description: plan =>
      `${counted(plan.payment_schedule.filter(isOpen).length, 'instalment')}, ${formatRupees(openAmount(plan))} in all, will not be debited, and the mandate ends${plan.payment_schedule.some(isAtBank) ? ' when the bank has answered: what is at the bank now is still collected' : ''}. The fees stay due. This cannot be undone: the family would have to set up a new plan.`,
  },
}

function isOpen({ status }: Instalment): boolean {
  return ['scheduled', 'confirmed', 'skipped', 'bounced', 'reversed', 'due'].includes(status)
}

function isAtBank({ status }: Instalment): boolean {
  return status === 'presented'
}

function openAmount(plan: PlanAnswer): number {
  return (
    plan.payment_schedule.filter(isOpen).reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100
  )
}

function toldWords(plan: PlanAnswer, beginning: string): string {
  const announced = plan.payment_schedule.filter(({ status }) => status === 'confirmed')
  if (announced.length === 0) return ''
  return ` ${beginning} ${announced.map(one => formatDay(one.present_on)).join(', ')} are withdrawn, and the family is notified.`
}

export function PlanActDialogue({
  action,
  plan,
  onClose,
}: {
  action: PlanAct
  plan: PlanAnswer
  onClose: () => void
}) {
  const path = useInstitutePath()
  const words = WORDS[action]
  const perform = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${path}/flex/plans/${plan.plan_id}/${action}`,
    refreshes: ['flex', 'audit', 'home'],
    onDone(answer) {
      if (!isKept(answer)) notify(words.done)
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={words.title}
      description={words.description(plan)}
      verb={words.verb}
      isDangerous={words.isDangerous}
      isBusy={perform.isPending}
      error={perform.error}
      onConfirm={reason => perform.mutate({ reason })}
    />
  )
}

/** A picnic, an examination, a bus: debited once beside the schedule. */
export function ChargeDialogue({
  plan,
  terms,
  onClose,
}: {
  plan: PlanAnswer
  terms: NonNullable<PlanAnswer['charge_terms']>
  onClose: () => void
}) {
  const path = useInstitutePath()
  const [fee, setFee] = useState<string | null>(terms.component_types[0] ?? null)
  const [amount, setAmount] = useState('')
  const [day, setDay] = useState(terms.earliest_on)
  const charge = useCommand<{ component_type: string; amount: string; due_date: string; reason: string }>({
    method: 'POST',
    path: `${path}/flex/plans/${plan.plan_id}/charges`,
    refreshes: ['flex', 'students', 'audit', 'home'],
    onDone() {
      notify('The charge is in the schedule.')
      onClose()
    },
  })
  const problem = (field: string) => problemOf(charge.error, field)
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Charge once on this mandate?"
      description={`The fee is added to ${plan.student.fullname} and debited on one day. It can be presented from ${formatDay(terms.earliest_on)} on, until ${formatDay(terms.latest_on)}, with at most ${formatRupees(terms.most_amount)}. ${plan.student.contact_name} is told at least a day before and can stop it with one tap; then it stays due.`}
      reasonHint="What it is for. The family reads it, and it is recorded in the audit log."
      verb="Charge it"
      isBusy={charge.isPending}
      error={charge.error}
      onConfirm={reason => charge.mutate({ component_type: fee ?? '', amount, due_date: day, reason })}
    >
      <Select
        label="Fee"
        description="Those that the payer agreed to."
        mb="sm"
        required
        allowDeselect={false}
        data={terms.component_types.map(value => ({ value, label: readable(value) }))}
        value={fee}
        onChange={setFee}
        error={problem('component_type')}
      />
      <AmountInput
        label="Amount"
        mb="sm"
        required
        value={amount}
        onChange={setAmount}
        error={problem('amount')}
      />
      <DayInput label="Due on" mb="sm" required value={day} onChange={setDay} error={problem('due_date')} />
    </ConfirmWithReason>
  )
}

export function CallOffDialogue({
  plan,
  instalment,
  onClose,
}: {
  plan: PlanAnswer
  instalment: Instalment
  onClose: () => void
}) {
  const path = useInstitutePath()
  const callOff = useCommand<{ reason: string }>({
    method: 'POST',
    path: `${path}/flex/plans/${plan.plan_id}/charges/${instalment.id}/cancel`,
    refreshes: ['flex', 'students', 'audit', 'home'],
    onDone(answer) {
      if (!isKept(answer)) notify('The charge is called off.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Call off the charge of ${formatRupees(instalment.amount)}?`}
      description={`It is not debited, and ${formatRupees(instalment.amount)} are taken off the fee again. The family is told.`}
      verb="Call it off"
      isDangerous
      isBusy={callOff.isPending}
      error={callOff.error}
      onConfirm={reason => callOff.mutate({ reason })}
    />
  )
}

export function MoveDialogue({
  plan,
  instalment,
  onClose,
}: {
  plan: PlanAnswer
  instalment: Instalment
  onClose: () => void
}) {
  const path = useInstitutePath()
  const [day, setDay] = useState('')
  const move = useCommand<{ new_due_date: string; reason: string }>({
    method: 'POST',
    path: `${path}/flex/plans/${plan.plan_id}/instalments/${instalment.id}/reschedule`,
    refreshes: ['flex', 'audit', 'home'],
    onDone(answer) {
      if (!isKept(answer)) notify(`Instalment ${instalment.number} is due on ${formatDay(day)}.`)
      onClose()
    },
  })
  const wasTold = instalment.status === 'confirmed'
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Move instalment ${instalment.number} to another day?`}
      description={`${formatRupees(instalment.amount)}, due on ${formatDay(instalment.due_date)}, will be debited on the first working day, from the new date on, that leaves a day to notify the family.${wasTold ? ' The notice already sent is withdrawn.' : ''}`}
      verb="Move it"
      isBusy={move.isPending}
      error={move.error}
      onConfirm={reason => move.mutate({ new_due_date: day, reason })}
    >
      <DayInput
        label="New due date"
        mb="sm"
        required
        value={day}
        onChange={setDay}
        error={problemOf(move.error, 'new_due_date') ?? problemOf(move.error, 'due_date')}
      />
    </ConfirmWithReason>
  )
}
