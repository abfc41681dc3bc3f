import { Button, Checkbox, Group, NativeSelect, Radio, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PaymentRulesAnswer } from '../../../../src/dues/dues.schemas.ts'
import { problemOf, problemsOf, useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { plainAmount } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { Summary } from '../../ui/detail.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { isKept } from '../approvals/kept.ts'
import { LateFees, toLateFeeDraft, toSentLateFee, type LateFeeDraft } from './late-fees.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

type Rules = PaymentRulesAnswer

const ORDERS: Record<Rules['allocation'], string> = {
  oldest_due: 'What was due first is paid first',
  as_registered: 'In the order in which the fees are registered',
  in_proportion: 'A share of every fee, by what is owed of it',
}

const SURPLUSES: Record<Rules['surplus'], { label: string; description: string }> = {
  refund: {
    label: 'Send it back to the payer',
    description: 'Bursar refunds the part that is too much by itself, to the account or card that paid.',
  },
  advance: {
    label: 'Keep it as an advance of the student',
    description:
      'It stays with you and is shown as an advance. You can refund it, or carry it into the next year.',
  },
}

const TRANSFERS: Record<Rules['transfers'], string> = {
  oldest_due: 'Late fees, then what was due first',
  overdue: 'Late fees and what is overdue, nothing before its day',
  ask: 'Nothing until the family or the office uses it',
}

/** How parents may pay what is due, and what becomes of money beyond it. */
export function PaymentRulesPage() {
  const path = useInstitutePath()
  const mayChange = useMay('owner', 'finance')
  const rules = useQuery({
    queryKey: ['payment-rules', path],
    queryFn: ({ signal }) => get<Rules>(`${path}/payment-rules`, {}, signal),
  })
  return (
    <PageFrame title="Settings">
      <SettingsTabs here="payments" />
      {rules.isPending && <Loading />}
      {rules.isError && <Failed error={rules.error} retry={() => void rules.refetch()} />}
      {rules.isSuccess && (mayChange ? <RulesForm known={rules.data} /> : <Shown known={rules.data} />)}
    </PageFrame>
  )
}

function Shown({ known }: { known: Rules }) {
  return (
    <>
      <Summary
        fields={[
          { label: 'Parents may pay a part', value: known.part_payments ? 'Yes' : 'No' },
          { label: 'At least', value: formatRupees(known.min_amount) },
          { label: 'A part pays', value: ORDERS[known.allocation] },
          { label: 'Money beyond what is owed', value: SURPLUSES[known.surplus].label },
          { label: 'A transfer pays', value: TRANSFERS[known.transfers] },
          { label: 'Transfers of unknown senders wait', value: known.hold_unknown_remitters ? 'Yes' : 'No' },
        ]}
      />
      <p className="faint">An owner or somebody from finance can change it.</p>
    </>
  )
}

type Draft = Omit<Rules, 'min_amount' | 'late_fees'> & { min_amount: string; late_fees: LateFeeDraft[] }

function RulesForm({ known }: { known: Rules }) {
  const path = useInstitutePath()
  const before: Draft = {
    ...known,
    min_amount: String(known.min_amount),
    late_fees: known.late_fees.map(toLateFeeDraft),
  }
  const [draft, setDraft] = useState(before)
  const [isAsking, setIsAsking] = useState(false)
  const change = useCommand<Draft & { reason: string }>({
    method: 'PUT',
    path: `${path}/payment-rules`,
    body: ({ min_amount, late_fees, ...sent }) => ({
      ...sent,
      min_amount: plainAmount(min_amount),
      late_fees: late_fees.map(toSentLateFee),
    }),
    refreshes: ['payment-rules', 'audit'],
    onDone(answer) {
      if (!isKept(answer)) notify('The payment rules are changed.')
      setIsAsking(false)
    },
  })
  const isSame = JSON.stringify(before) === JSON.stringify(draft)
  return (
    <>
      <form
        className="form"
        onSubmit={event => {
          event.preventDefault()
          change.reset()
          setIsAsking(true)
        }}
      >
        <Stack gap="lg">
          <PartPayments draft={draft} onChange={setDraft} error={change.error} />
          <Radio.Group
            label="When more money comes in than is owed"
            description="Two parents may pay the same fee at the same moment, or a fee may be lowered while somebody is at the bank’s page. What should become of the part that is too much?"
            value={draft.surplus}
            onChange={surplus => setDraft({ ...draft, surplus })}
          >
            <Stack gap="xs" mt="xs">
              {Object.entries(SURPLUSES).map(([value, { label, description }]) => (
                <Radio key={value} value={value} label={label} description={description} />
              ))}
            </Stack>
          </Radio.Group>
          <Transfers draft={draft} onChange={setDraft} />
          <LateFees rules={draft.late_fees} onChange={late_fees => setDraft({ ...draft, late_fees })} />
          <Group>
            <Button type="submit" disabled={isSame}>
              Change the payment rules
            </Button>
          </Group>
        </Stack>
      </form>
      <ConfirmWithReason
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Change the payment rules?"
        description="They apply to payments from now on. Payments that have come in stay as they are."
        verb="Change them"
        isBusy={change.isPending}
        error={change.error}
        problem={ruleProblem(change.error)}
        onConfirm={reason => change.mutate({ ...draft, reason })}
      />
    </>
  )
}

/** Said in the dialogue too, which covers the fields. */
function ruleProblem(error: Error | null): string | undefined {
  const [first] = problemsOf(error)
  if (first === undefined) return undefined
  const [list, no] = first.key.split('.')
  const where = list === 'late_fees' ? `Late fee ${Number(no) + 1}` : 'The least that can be paid at once'
  return `${where}: ${first.message}`
}

/** Money that comes to a student’s account number without being asked for. */
function Transfers({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  return (
    <Stack gap="sm">
      <NativeSelect
        label="What a transfer to a student’s account number or UPI ID pays"
        description="What is left stays as an advance, which the family uses on its page and the office on the student’s."
        maw={420}
        value={draft.transfers}
        onChange={event => onChange({ ...draft, transfers: event.currentTarget.value as Rules['transfers'] })}
        data={Object.entries(TRANSFERS).map(([value, label]) => ({ value, label }))}
      />
      <Checkbox
        label="Transfers of unknown senders wait for the office"
        description="Money of somebody who never sent any for the student pays nothing until you take it or send it back, under Reconciliation. Somebody whose money you took once is known."
        checked={draft.hold_unknown_remitters}
        onChange={event => onChange({ ...draft, hold_unknown_remitters: event.currentTarget.checked })}
      />
    </Stack>
  )
}

function PartPayments({
  draft,
  onChange,
  error,
}: {
  draft: Draft
  onChange: (draft: Draft) => void
  error: Error | null
}) {
  return (
    <Stack gap="sm">
      <Checkbox
        label="Parents may pay a part of what is due"
        checked={draft.part_payments}
        onChange={event => onChange({ ...draft, part_payments: event.currentTarget.checked })}
      />
      {draft.part_payments && (
        <>
          <AmountInput
            label="The least that can be paid at once, rupees"
            required
            maw={420}
            value={draft.min_amount}
            onChange={amount => onChange({ ...draft, min_amount: amount })}
            error={problemOf(error, 'min_amount')}
          />
          <NativeSelect
            label="What a part pays"
            description="Late fees always come first."
            maw={420}
            value={draft.allocation}
            onChange={event =>
              onChange({ ...draft, allocation: event.currentTarget.value as Rules['allocation'] })
            }
            data={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
          />
        </>
      )}
    </Stack>
  )
}
