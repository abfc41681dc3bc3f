import { Button, Checkbox, Group, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApprovalAnswer } from '../../../../../src/console/approvals/approval.list.ts'
import type { LeavingAnswer, LeavingPreviewAnswer } from '../../../../../src/leaving/leaving.schemas.ts'
import { send } from '../../../api/client.ts'
import { problemOf, useCommand, wholeProblem } from '../../../api/command.ts'
import { useSession } from '../../../api/session.ts'
import { DayInput } from '../../../ui/form/day-input.tsx'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { counted, formatRupees, sumRupees } from '../../../ui/money.tsx'
import { ProblemAlert } from '../../../ui/problem.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { formatDay } from '../../../ui/when.tsx'
import { readable } from '../../../ui/words.ts'
import { isKept } from '../../approvals/kept.ts'
import { modeLabel } from '../../money/texts.ts'
import { dayInIndia } from '../texts.ts'
import { AFTER_CHANGE, useStudentPath, type ActionProps } from '../use-student.ts'
import { OtherYears } from './change-status.tsx'

type Line = LeavingPreviewAnswer['settlement']['lines'][number]
type Charge = Line['charge']
type Cheque = LeavingPreviewAnswer['settlement']['cheques'][number]
type Taking = LeavingPreviewAnswer['counter'][number]
type PaidOut = { way: string; reference: string }

const KEEP = 'keep'
const WAYS = [
  { value: 'cash', label: 'Cash from the drawer' },
  { value: 'cheque', label: 'Cheque' },
  { value: 'bank_transfer', label: 'Bank transfer' },
  { value: KEEP, label: 'Not now: it stays as an advance' },
]

/** What the office decides, and what would come of it. */
function usePreview(path: string) {
  const [leftOn, setLeftOn] = useState(dayInIndia(useSession()?.now))
  const [charges, setCharges] = useState<Record<string, Charge>>({})
  const [isWrittenOff, setWrittenOff] = useState(false)
  const [isWaived, setWaived] = useState(false)
  const [isEarlierKept, setEarlierKept] = useState(false)
  const decisions = {
    left_on: leftOn,
    charges: Object.entries(charges).map(([component_type, charge]) => ({ component_type, charge })),
    write_off: isWrittenOff,
    waive_late_fees: isWaived,
    use_earlier_deposits: !isEarlierKept,
  }
  const { data: seen, error } = useQuery({
    queryKey: ['student', path, 'leaving', decisions],
    queryFn: async () =>
      (await send<LeavingPreviewAnswer>('POST', `${path}/leaving/preview`, decisions, undefined)).data,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const setCharge = (type: string, charge: Charge): void => setCharges({ ...charges, [type]: charge })
  return { decisions, seen, error, setLeftOn, setCharge, setWrittenOff, setWaived, setEarlierKept }
}

/** Holds how money is given back, and whether uncleared cheques are handed back. */
function useWaysBack(seen: LeavingPreviewAnswer | undefined) {
  const [givesCheques, setGivesCheques] = useState(true)
  const [isOnlineKept, setOnlineKept] = useState(false)
  const [paidOut, setPaidOut] = useState<Record<string, PaidOut>>({})
  const wayOf = (taking: Taking): PaidOut => paidOut[taking.transaction_id] ?? { way: 'cash', reference: '' }
  const back = seen?.counter.filter(one => one.proposed_amount > 0) ?? []
  const sent = {
    give_cheques_back: givesCheques && (seen?.settlement.cheques.length ?? 0) > 0,
    online_refund_amount: isOnlineKept ? 0 : (seen?.online_proposed_amount ?? 0),
    counter_refunds: back
      .filter(one => wayOf(one).way !== KEEP)
      .map(one => {
        const { way, reference } = wayOf(one)
        const number = way === 'cash' || reference === '' ? {} : { reference }
        return { transaction_id: one.transaction_id, amount: one.proposed_amount, way, ...number }
      }),
  }
  const choose = (taking: Taking, chosen: PaidOut): void =>
    setPaidOut({ ...paidOut, [taking.transaction_id]: chosen })
  return { sent, back, wayOf, choose, givesCheques, setGivesCheques, isOnlineKept, setOnlineKept }
}

/** One act for somebody who leaves: what is owed, what goes back, what is given up, and the plan and links that end. */
export function LeavingDialogue({ student, onClose }: ActionProps) {
  const path = useStudentPath(student.service_student_id)
  const [reason, setReason] = useState('')
  const [isAsked, setAsked] = useState(false)
  const preview = usePreview(path)
  const { decisions, seen, error } = preview
  const ways = useWaysBack(seen)
  const settle = useCommand<object, LeavingAnswer | ApprovalAnswer>({
    method: 'POST',
    path: `${path}/leaving`,
    refreshes: [...AFTER_CHANGE, 'leavers', 'counter', 'cash-in-hand', 'approvals'],
    onDone(answer) {
      if (!isKept(answer)) notify(`The leaving of ${student.fullname} is settled.`)
      onClose()
    },
  })
  const confirm = (): void => {
    setAsked(true)
    if (reason.trim() === '' || seen === undefined) return
    const shown = {
      shown_owed_amount: seen.owed_before_amount,
      shown_advance_amount: seen.advance_before_amount,
    }
    settle.mutate({ ...decisions, ...ways.sent, ...shown, reason: reason.trim() })
  }
  const problem = wholeProblem(settle.error ?? error) ?? problemOf(settle.error, 'counter_refunds')
  return (
    <Dialogue isOpen onClose={onClose} title={`Leaving of ${student.fullname}`}>
      <form
        onSubmit={event => {
          event.preventDefault()
          confirm()
        }}
      >
        <p>
          What fell due by the last day is owed, and an optional fee until then; what falls due later is not.
          Change it by fee.
        </p>
        <DayInput
          label="Last day at school"
          mb="sm"
          value={decisions.left_on}
          onChange={preview.setLeftOn}
          error={problemOf(error, 'left_on')}
        />
        {seen && (
          <>
            <Fees seen={seen} onCharge={preview.setCharge} />
            <Result seen={seen} />
            <EarlierDeposits seen={seen} preview={preview} />
            <GivenUp seen={seen} preview={preview} />
            <GoesBack seen={seen} ways={ways} />
          </>
        )}
        <OtherYears student={student} onClose={onClose} />
        <Textarea
          label="Reason"
          withAsterisk
          description="Recorded with the settlement and in the audit log."
          mt="sm"
          value={reason}
          onChange={event => setReason(event.currentTarget.value)}
          error={isAsked && reason.trim() === '' ? 'Enter a reason' : problemOf(settle.error, 'reason')}
          maxLength={500}
          autosize
          minRows={2}
        />
        {problem !== undefined && <ProblemAlert>{problem}</ProblemAlert>}
        <Buttons isBusy={settle.isPending} isReady={seen !== undefined} onClose={onClose} />
      </form>
    </Dialogue>
  )
}

function Buttons({ isBusy, isReady, onClose }: { isBusy: boolean; isReady: boolean; onClose: () => void }) {
  return (
    <Group justify="flex-end" mt="md">
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button type="submit" loading={isBusy} color="red.8" disabled={!isReady}>
        Settle the leaving
      </Button>
    </Group>
  )
}

/** Deposits stand on the record of the year in which they were paid. */
function EarlierDeposits({
  seen: { settlement },
  preview: { decisions, setEarlierKept },
}: {
  seen: LeavingPreviewAnswer
  preview: ReturnType<typeof usePreview>
}) {
  const held = settlement.earlier_deposits
  if (held.length === 0) return null
  const texts = held.map(
    one =>
      `${readable(one.component_type)} of ${one.year}, ${formatRupees(sumRupees([one.used_amount, one.held_amount]))}`,
  )
  const left = sumRupees(held.map(one => one.held_amount))
  return (
    <Checkbox
      my="xs"
      label={`Deposits of earlier years pay what is owed: ${texts.join('; ')}`}
      description={
        left > 0
          ? `${formatRupees(left)} of them stays held: settle the leaving of that record too.`
          : undefined
      }
      checked={decisions.use_earlier_deposits}
      onChange={event => setEarlierKept(!event.currentTarget.checked)}
    />
  )
}

/** What the school does not ask for any more. */
function GivenUp({
  seen: { settlement },
  preview: { decisions, setWrittenOff, setWaived },
}: {
  seen: LeavingPreviewAnswer
  preview: ReturnType<typeof usePreview>
}) {
  return (
    <>
      <Checkbox
        my="xs"
        label="Write off what stays owed"
        description="It is not asked for any more."
        checked={decisions.write_off}
        onChange={event => setWrittenOff(event.currentTarget.checked)}
      />
      {(settlement.late_fee_amount > 0 || decisions.waive_late_fees) && (
        <Checkbox
          my="xs"
          label="Waive the late fees"
          checked={decisions.waive_late_fees}
          onChange={event => setWaived(event.currentTarget.checked)}
        />
      )}
    </>
  )
}

function GoesBack({ seen, ways }: { seen: LeavingPreviewAnswer; ways: ReturnType<typeof useWaysBack> }) {
  const { cheques } = seen.settlement
  return (
    <>
      {cheques.length > 0 && (
        <Checkbox
          my="xs"
          label={`Give the post-dated cheques back: ${cheques.map(chequeText).join('; ')}`}
          description="None of them goes to the bank. The register lists them until they are handed over."
          checked={ways.givesCheques}
          onChange={event => ways.setGivesCheques(event.currentTarget.checked)}
        />
      )}
      {seen.online_proposed_amount > 0 && (
        <Checkbox
          my="xs"
          label={`Refund ${formatRupees(seen.online_proposed_amount)} the way it was paid online`}
          checked={!ways.isOnlineKept}
          onChange={event => ways.setOnlineKept(!event.currentTarget.checked)}
        />
      )}
      {ways.back.map(one => (
        <PayOut
          key={one.transaction_id}
          taking={one}
          chosen={ways.wayOf(one)}
          onChoose={chosen => ways.choose(one, chosen)}
        />
      ))}
    </>
  )
}

/** Each fee with how much of it is owed; the rule's own choice is the one shown first. */
function Fees({
  seen,
  onCharge,
}: {
  seen: LeavingPreviewAnswer
  onCharge: (type: string, charge: Charge) => void
}) {
  const lines = seen.settlement.lines.filter(one => one.before_amount > 0)
  return lines.map(one => (
    <NativeSelect
      key={one.component_type}
      mb="xs"
      label={`${readable(one.component_type)}, ${formatRupees(one.before_amount)}`}
      description={[
        one.due_on === undefined ? 'no due day' : `due ${formatDay(one.due_on)}`,
        ...(one.paid_amount > 0 ? [`${formatRupees(one.paid_amount)} paid`] : []),
        ...(one.after_amount < one.before_amount ? [`${formatRupees(one.after_amount)} of it owed`] : []),
      ].join(', ')}
      value={one.charge}
      onChange={event => onCharge(one.component_type, event.currentTarget.value as Charge)}
      data={chargesOf(one, seen)}
    />
  ))
}

function chargesOf(
  { is_deposit: isDeposit, is_optional: isOptional }: Line,
  { prorated_months: months, all_months: all }: LeavingPreviewAnswer,
): { value: Charge; label: string }[] {
  if (isDeposit)
    return [
      { value: 'none', label: 'Given back' },
      { value: 'full', label: 'Kept' },
    ]
  return [
    { value: 'full', label: 'Owed in full' },
    isOptional
      ? { value: 'ended', label: 'Owed until the last day' }
      : { value: 'prorated', label: `Owed for ${months} of ${all} months` },
    { value: 'none', label: 'Not owed' },
  ]
}

/** What comes of it, in sentences; sums that are nothing are left out. */
function Result({
  seen: { settlement: one, on_the_way: onTheWay, kept_amount: kept },
}: {
  seen: LeavingPreviewAnswer
}) {
  const owed = one.owed_amount + one.late_fee_amount - one.on_the_way_amount
  const lines = [
    ...amountLine(one.lowered_amount, 'less is asked than before.'),
    ...amountLine(one.deposit_amount, 'of deposits is given back.'),
    ...amountLine(one.used_amount, 'of deposits and of what was paid too much pays what is owed.'),
    ...amountLine(one.waived_amount, 'of late fees is waived.'),
    ...amountLine(one.written_off_amount, 'is written off.'),
    ...onTheWay.map(
      way => `${formatRupees(way.amount)} is on its way and expected by ${formatDay(way.until)}.`,
    ),
    ...amountLine(one.advance_amount, 'was paid too much and goes back.'),
    ...amountLine(kept, 'of that cannot go back from here; it stays as an advance.'),
    ...one.ended.map(
      fee =>
        `${fee.name} ends on ${formatDay(fee.last_day)}: ${formatRupees(fee.after_amount)} of the year instead of ${formatRupees(fee.before_amount)}.`,
    ),
    ...(one.plan_ids.length > 0 ? ['The instalment plan and its mandate end; nothing more is debited.'] : []),
    ...closedText(one.closed_orders),
    ...(one.reminders > 0
      ? [`${counted(one.reminders, 'waiting reminder')} will leave this child out.`]
      : []),
    ...one.cheques_at_bank.map(
      cheque =>
        `The cheque ${chequeText(cheque)} counts as paid and is not cleared yet; if it comes back, it is owed again.`,
    ),
  ]
  return (
    <>
      <p>
        <strong>
          {owed > 0 ? `${formatRupees(owed)} stays owed by the family.` : 'Nothing stays owed by the family.'}
        </strong>
      </p>
      <ul>
        {lines.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  )
}

function chequeText({ number, amount, day }: Cheque): string {
  return `${number} over ${formatRupees(amount)}${day === undefined ? '' : ` of ${formatDay(day)}`}`
}

function closedText(closed: LeavingPreviewAnswer['settlement']['closed_orders']): string[] {
  if (closed.length === 0) return []
  const amounts = closed.map(one => formatRupees(one.amount)).join(', ')
  return [
    `${counted(closed.length, 'open link or order', 'open links and orders')} can be paid no more: ${amounts}.`,
  ]
}

function amountLine(amount: number, what: string): string[] {
  return amount > 0 ? [`${formatRupees(amount)} ${what}`] : []
}

function PayOut({
  taking,
  chosen: { way, reference },
  onChoose,
}: {
  taking: Taking
  chosen: PaidOut
  onChoose: (chosen: PaidOut) => void
}) {
  const what = `${formatRupees(taking.proposed_amount)} of the payment ${taking.transaction_id} by ${modeLabel(taking.mode)}`
  return (
    <>
      <NativeSelect
        mb="xs"
        label={`Pay out ${what}`}
        value={way}
        onChange={event => onChoose({ way: event.currentTarget.value, reference })}
        data={WAYS}
      />
      {(way === 'cheque' || way === 'bank_transfer') && (
        <TextInput
          mb="xs"
          withAsterisk
          label={way === 'cheque' ? 'Number of the cheque' : 'Reference of the transfer (UTR)'}
          value={reference}
          onChange={event => onChoose({ way, reference: event.currentTarget.value })}
        />
      )}
    </>
  )
}
