import { useState } from 'react'
import type { PlanAnswer } from '../../../../../src/console/flex/plan.schemas.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { counted, formatRupees } from '../../../ui/money.tsx'
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
