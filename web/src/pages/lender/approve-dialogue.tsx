import { useState } from 'react'
import { problemOf } from '../../api/command.ts'
import { formatRupees } from '../../ui/money.tsx'
import { FormDialogue } from '../developers/form-dialogue.tsx'
import { plainAmount } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { boundTo, Field } from '../../ui/form/field.tsx'
import { useDesk, useForm, type Props } from './dialogues.tsx'

/** Makes the offer, or replaces one that the family has not accepted. */
export function ApproveDialogue({ base, detail, onClose }: Props) {
  const isReplacing = detail.offer !== undefined
  const approve = useDesk(base, 'approve', 'The offer is made. The family sees it on its page.', onClose)
  const { loan, offer } = detail
  const form = useForm(
    {
      amount: String(isReplacing ? loan.amount : loan.requested_amount),
      fees: String(offer?.fees ?? 0),
      ...(offer && {
        rate: String(offer.yearly_rate_percent),
        months: String(offer.months),
        emi: String(offer.emi),
      }),
    },
    approve.error,
  )
  const [flaws, setFlaws] = useState<Flaws>({})
  const { amount = '', rate = '', months = '', emi = '', fees = '' } = form.values
  const usual = usualEmi(Number(plainAmount(amount)), percentOf(rate), countOf(months))
  const submit = (): void => {
    const found = findFlaws(form.values)
    setFlaws(found)
    if (Object.keys(found).length > 0) return
    approve.mutate({
      amount: plainAmount(amount),
      yearly_rate_bp: Math.round(percentOf(rate) * 100),
      months: countOf(months),
      emi: plainAmount(emi),
      fees: plainAmount(fees),
    })
  }
  return (
    <FormDialogue
      title={isReplacing ? 'Replace the offer' : 'Approve with an offer'}
      verb="Make the offer"
      isBusy={approve.isPending}
      error={approve.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        {loan.borrower} asked for {formatRupees(loan.requested_amount)}. The family reads exactly these terms
        and accepts them, or does not.
        {isReplacing && ' The offer before this one cannot be accepted any more.'}
      </p>
      <AmountInput label="Amount in rupees" required data-autofocus {...boundTo(form, 'amount')} />
      <Field
        form={form}
        name="rate"
        label="Interest a year, in percent"
        required
        error={flaws.rate ?? problemOf(approve.error, 'yearly_rate_bp')}
      />
      <Field
        form={form}
        name="months"
        label="Number of EMIs"
        required
        error={flaws.months ?? problemOf(approve.error, 'months')}
      />
      <AmountInput
        label="Each EMI, in rupees"
        description={usual === null ? undefined : `At this rate about ${formatRupees(usual)}.`}
        required
        {...boundTo(form, 'emi')}
      />
      <AmountInput label="All other charges, in rupees" required {...boundTo(form, 'fees')} />
    </FormDialogue>
  )
}

type Flaws = { rate?: string; months?: string }

/** Accepts what people type: `12.5`, `12.5 %`, `12 months`. */
function percentOf(typed: string): number {
  return Number(typed.trim().replace(/%$/, '').trim() || Number.NaN)
}

function countOf(typed: string): number {
  return Number(
    typed
      .trim()
      .replace(/(?:months?|EMIs?)$/i, '')
      .trim() || Number.NaN,
  )
}

function findFlaws({ rate = '', months = '' }: { rate?: string; months?: string }): Flaws {
  const percent = percentOf(rate)
  const count = countOf(months)
  return {
    ...(percent >= 0 && percent <= 100 ? {} : { rate: 'Must be a number from 0 to 100, such as 12.5' }),
    ...(Number.isInteger(count) && count >= 1 && count <= 120
      ? {}
      : { months: 'Must be a whole number from 1 to 120' }),
  }
}

/** The annuity, as a help for typing; the server decides whether an EMI fits. */
function usualEmi(amount: number, percent: number, months: number): number | null {
  if (!(amount > 0 && percent >= 0 && months >= 1)) return null
  const rate = percent / 1_200
  const emi = rate === 0 ? amount / months : (amount * rate) / (1 - (1 + rate) ** -months)
  return Math.round(emi * 100) / 100
}
