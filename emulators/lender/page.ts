import type { Act, Loan } from './books.ts'

/** The page on which a person plays the borrower and the lender's people. */
const ACTS: Record<Loan['state'], readonly Act['kind'][]> = {
  open: ['fill', 'reject', 'cancel'],
  filled: ['approve', 'reject', 'cancel'],
  approved: ['sanction', 'cancel'],
  sanctioned: ['disburse', 'emi', 'cancel'],
  over: [],
}
const KINDS = new Set<string>(Object.values(ACTS).flat())

export function actOfForm(raw: string): { applicationId: string; act: Act } | null {
  const form = new URLSearchParams(raw)
  const kind = form.get('act') ?? ''
  const applicationId = form.get('application') ?? ''
  return KINDS.has(kind) ? { applicationId, act: { kind } as Act } : null
}

/** Nothing is sanctioned before the family accepted the offer, nor paid out beyond the tranches. */
function actsOn({ state, offerId, isAccepted, open }: Loan): readonly Act['kind'][] {
  return ACTS[state].filter(act => {
    if (act === 'sanction') return offerId === null || isAccepted
    return act !== 'disburse' || open.length > 0
  })
}

export function describeLoans(loans: readonly Loan[]): string {
  const rows = loans.map(loan => {
    const buttons = actsOn(loan).map(act => `<button name="act" value="${act}">${act}</button>`)
    const accepted = loan.offerId === null ? '' : loan.isAccepted ? ', offer accepted' : ', offer made'
    return `<tr><td>${escape(loan.ref)}<br><small>${escape(loan.applicationId)}</small></td>
<td>${escape(loan.borrower)}<br><small>${escape(loan.description)}</small></td><td>₹${loan.amount.toLocaleString('en-IN')}</td>
<td>${loan.state}${accepted}</td><td><form method="post"><input type="hidden" name="application" value="${escape(loan.applicationId)}">
${buttons.join(' ')}</form> <a href="${escape(loan.returnUrl)}">back to the school</a></td></tr>`
  })
  return `<!doctype html><html lang="en"><title>Emulated lender</title><meta name="viewport" content="width=device-width">
<style>body{font:16px system-ui;margin:2rem}td{padding:.5rem 1rem .5rem 0;vertical-align:top}button{padding:.4rem .8rem}</style>
<h1>Emulated lender</h1>${rows.length === 0 ? '<p>No application yet.</p>' : `<table>${rows.join('')}</table>`}</html>`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, one => `&#${one.codePointAt(0)};`)
}
